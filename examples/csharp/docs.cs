// Adds, reads and searches documents of a Quire server. Usage: example URL
using Microsoft.Extensions.DependencyInjection;
using Org.OpenAPITools;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;
using Org.OpenAPITools.Extensions;
using Org.OpenAPITools.Model;

const string collection = "examples";

var services = new ServiceCollection();
services.AddApi((HostConfiguration options) => options.AddApiHttpClients((HttpClient http) => http.BaseAddress = new Uri(args[0])));
// The generated client asks for a token of each kind. A server without accounts needs none.
services.AddSingleton<TokenProvider<BearerToken>>(new Always<BearerToken>(new Session(Environment.GetEnvironmentVariable("QUIRE_TOKEN"))));
services.AddSingleton<TokenProvider<ApiKeyToken>>(new Always<ApiKeyToken>(new NoApiKey()));
await using var provider = services.BuildServiceProvider();
var documents = provider.GetRequiredService<IDocumentsApi>();
var fulltext = provider.GetRequiredService<IFulltextApi>();
var audit = provider.GetRequiredService<IAuditApi>();

foreach (var (key, text, year) in new[] { ("hello", "# Hello", "2026"), ("goodbye", "# Goodbye", "1999") })
{
    var meta = new Dictionary<string, List<string>> { ["kind"] = [key], ["year"] = [year] };
    var added = Body(await documents.AddDocumentAsync(new AddDocumentRequest(collection, key, "en", text, meta: meta)));
    Console.WriteLine($"added {added.Key}");
}

var document = Body(await documents.GetDocumentAsync(new GetDocumentRequest(collection, "hello", "en")));
Console.WriteLine($"read {document.ContentMd}");

var hello = new Dictionary<string, List<string>> { ["kind"] = ["hello"] };
foreach (var listed in Body(await documents.SearchDocumentsAsync(new SearchDocumentsRequest(collection, filterMeta: hello))))
{
    Console.WriteLine($"filtered {listed.Key}");
}

var both = new Dictionary<string, List<string>> { ["kind"] = ["hello", "goodbye"] };
var since2000 = new List<RangeCondition> { new("year", gte: new Option<object?>(2000)) };
var found = Body(await fulltext.SearchFullTextAsync(
    new SearchFullTextRequest(collection, "hello goodbye", filterMeta: both, rangeMeta: since2000, highlight: true)));
foreach (var result in found.Results)
{
    Console.WriteLine($"found {result.Document.Key} {result.Highlights?[0].Fragment}");
}

var absent = await documents.GetDocumentAsync(new GetDocumentRequest(collection, "absent", "en"));
// `Code` is the reason for programs, `Error` the one for people.
if (absent.NotFound() is { } refusal) Console.WriteLine($"refused {refusal.Code}");

// The exact time, which is beyond 2^53, finds the record again.
var newest = Body(await audit.ListAuditEventsAsync(action: "write./v1/add", limit: 1)).Events[0];
var again = Body(await audit.ListAuditEventsAsync(fromNanos: newest.Ts, toNanos: newest.Ts)).Events;
if (newest.Ts > 1L << 53 && again.Any(same => same.Ts == newest.Ts)) Console.WriteLine($"audited {newest.Action} in nanoseconds");

// What the service returned; a refusal throws.
static T Body<T>(IOk<T?> response) where T : class =>
    response.Ok() ?? throw new HttpRequestException(response.RawContent, null, response.StatusCode);

/// <summary>Provides one token for all requests.</summary>
sealed class Always<T>(T token) : TokenProvider<T> where T : TokenBase
{
    protected override ValueTask<T> GetAsync(string header = "", CancellationToken cancellation = default) => new(token);
}

/// <summary>A token of `/v1/auth/login`, which is sent where there is one.</summary>
sealed class Session(string? token) : BearerToken(token ?? "")
{
    public override void UseInHeader(HttpRequestMessage request, string headerName)
    {
        if (token is not null) base.UseInHeader(request, headerName);
    }
}

/// <summary>Sends no API key: where one is sent, the token does not count.</summary>
sealed class NoApiKey() : ApiKeyToken("", ClientUtils.ApiKeyHeader.X_API_Key)
{
    public override void UseInHeader(HttpRequestMessage request) { }
}
