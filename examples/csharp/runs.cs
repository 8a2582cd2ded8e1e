// Queues, reads and cancels a run of a Quire run queue. Usage: QUIRE_TOKEN=... example URL
using Microsoft.Extensions.DependencyInjection;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;
using Org.OpenAPITools.Extensions;
using Org.OpenAPITools.Model;

var services = new ServiceCollection();
services.AddApi((HostConfiguration options) =>
{
    options.AddTokens(new BearerToken(Environment.GetEnvironmentVariable("QUIRE_TOKEN")!));
    options.AddApiHttpClients((HttpClient http) => http.BaseAddress = new Uri(args[0]));
});
await using var provider = services.BuildServiceProvider();
var projects = provider.GetRequiredService<IProjectsApi>();
var runs = provider.GetRequiredService<IRunsApi>();

foreach (var project in Body(await projects.ListProjectsAsync()).Data)
{
    Console.WriteLine($"project {project.Id}");
}

// One key for one intention: a request that is sent again under it returns the first run.
var key = Guid.NewGuid().ToString();
var request = new EnqueueRunRequest("alpha", EnqueueRunRequest.KindEnum.Diagnostic);
var run = Accepted(await runs.EnqueueRunAsync(key, request)).Data;
Console.WriteLine($"queued {RunStateValueConverter.ToJsonValue(run.State)}");
var again = Accepted(await runs.EnqueueRunAsync(key, request)).Data;
Console.WriteLine(again.Id == run.Id ? "same run" : "another run");

var read = Body(await runs.GetRunAsync(run.Id)).Data;
Console.WriteLine($"read {RunStateValueConverter.ToJsonValue(read.State)}");
var cancelled = Body(await runs.CancelRunAsync(run.Id)).Data;
Console.WriteLine($"cancelled {RunStateValueConverter.ToJsonValue(cancelled.State)}");

var absent = await runs.GetRunAsync(new string('0', 32));
// `Code` is the reason for programs.
if (absent.NotFound() is { } refusal) Console.WriteLine($"refused {refusal.Error.Code}");

// What the service returned; a refusal throws.
static T Body<T>(IOk<T?> response) where T : class => response.Ok() ?? throw Refused(response);
static T Accepted<T>(IAccepted<T?> response) where T : class => response.Accepted() ?? throw Refused(response);
static HttpRequestException Refused(IApiResponse response) => new(response.RawContent, null, response.StatusCode);
