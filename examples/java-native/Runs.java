import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ProjectsApi;
import org.openapitools.client.api.RunsApi;
import org.openapitools.client.model.*;

/** Queues, reads and cancels a run of a Quire run queue. Usage: QUIRE_TOKEN=... Runs URL */
public class Runs {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("QUIRE_TOKEN")));
    ProjectsApi projects = new ProjectsApi(client);
    RunsApi runs = new RunsApi(client);

    for (Project project : projects.listProjects().getData()) {
      System.out.println("project " + project.getId());
    }

    // One key for one intention: a request that is sent again under it returns the first run.
    String key = UUID.randomUUID().toString();
    EnqueueRunRequest request = new EnqueueRunRequest().projectId("alpha").kind(EnqueueRunRequest.KindEnum.DIAGNOSTIC);
    Run run = runs.enqueueRun(key, request).getData();
    System.out.println("queued " + run.getState());
    Run again = runs.enqueueRun(key, request).getData();
    System.out.println((again.getId().equals(run.getId()) ? "same" : "another") + " run");

    System.out.println("read " + runs.getRun(run.getId()).getData().getState());
    System.out.println("cancelled " + runs.cancelRun(run.getId()).getData().getState());

    try {
      runs.getRun("0".repeat(32));
    } catch (ApiException refused) {
      // The body has `error.code`, the reason for programs.
      System.out.println("refused " + new ObjectMapper().readTree(refused.getResponseBody()).get("error").get("code").asText());
    }
  }
}
