import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AuditApi;
import org.openapitools.client.api.DocumentsApi;
import org.openapitools.client.api.FulltextApi;
import org.openapitools.client.model.*;

/** Adds, reads and searches documents of a Quire server. Usage: Docs URL */
public class Docs {
  private static final String COLLECTION = "examples";

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    // A server without accounts needs no token.
    String token = System.getenv("QUIRE_TOKEN");
    if (token != null) client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    DocumentsApi documents = new DocumentsApi(client);
    FulltextApi fulltext = new FulltextApi(client);
    AuditApi audit = new AuditApi(client);

    List<AddDocumentRequest> requests = List.of(request("hello", "# Hello", "2026"), request("goodbye", "# Goodbye", "1999"));
    for (AddDocumentRequest request : requests) {
      System.out.println("added " + documents.addDocument(request).getKey());
    }

    System.out.println("read " + documents.getDocument(name("hello")).getContentMd());

    SearchDocumentsRequest hellos = new SearchDocumentsRequest().collection(COLLECTION).filterMeta(Map.of("kind", List.of("hello")));
    for (ProjectedDocument document : documents.searchDocuments(hellos)) {
      System.out.println("filtered " + document.getKey());
    }

    // The same search as a GET, whose parameters are the arguments in the order of the description; null leaves one out.
    List<String> kinds = List.of("kind=hello", "kind=goodbye");
    SearchFullTextOutput found = fulltext.searchFullTextByQuery(COLLECTION, "hello goodbye", null, null, null, null, null, "year >= 2000",
        null, null, null, null, null, null, null, null, null, null, null, null, null, null, true, null, null, null, null, null, null, kinds);
    for (FullTextResult result : found.getResults()) {
      System.out.println("found " + result.getDocument().getKey() + " " + result.getHighlights().get(0).getFragment());
    }

    try {
      documents.getDocument(name("absent"));
    } catch (ApiException refused) {
      // The body has `code`, the reason for programs, and `error`, the one for people.
      System.out.println("refused " + new ObjectMapper().readTree(refused.getResponseBody()).get("code").asText());
    }

    // The exact time, which is beyond 2^53, finds the record again.
    AuditEvent newest = audit.listAuditEvents(null, null, null, null, null, "write./v1/add", null, null, null, 1).getEvents().get(0);
    List<AuditEvent> again = audit.listAuditEvents(null, null, newest.getTs(), newest.getTs(), null, null, null, null, null, null).getEvents();
    if (newest.getTs() > 1L << 53 && again.contains(newest)) {
      System.out.println("audited " + newest.getAction() + " in nanoseconds");
    }
  }

  private static AddDocumentRequest request(String key, String text, String year) {
    Map<String, List<String>> meta = Map.of("kind", List.of(key), "year", List.of(year));
    return new AddDocumentRequest().collection(COLLECTION).key(key).lang("en").contentMd(text).meta(meta);
  }

  private static GetDocumentRequest name(String key) {
    return new GetDocumentRequest().collection(COLLECTION).key(key).lang("en");
  }
}
