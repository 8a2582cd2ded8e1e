import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.Executors;
import org.apache.lucene.facet.LabelAndValue;

/** Serves the index over HTTP: `GET /search?...` as defined in `../filters/job.ts`, with a thread for each processor. */
class Server {
    static void serve(FilterIndex index) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors()));
        server.createContext("/search", exchange -> answer(index, exchange));
        server.start();
        System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort());
        System.out.flush();
    }

    private static void answer(FilterIndex index, HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body;
            int status = 200;
            try {
                body = json(index, Ask.fromQuery(exchange.getRequestURI().getRawQuery())).getBytes(StandardCharsets.UTF_8);
            } catch (RuntimeException error) {
                body = error.toString().getBytes(StandardCharsets.UTF_8);
                status = 400;
            }
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length);
            try (OutputStream stream = exchange.getResponseBody()) {
                stream.write(body);
            }
        }
    }

    private static String json(FilterIndex index, Ask ask) throws IOException {
        FilterIndex.Found found = index.search(ask);
        List<String> keys = index.keys(found);
        StringJoiner results = new StringJoiner(",", "[", "]");
        for (int i = 0; i < keys.size(); i++) results.add("{\"key\":\"" + keys.get(i) + "\",\"score\":" + (Float.isNaN(found.hits()[i].score) ? "null" : found.hits()[i].score) + "}");
        StringJoiner counts = new StringJoiner(",", "[", "]");
        if (found.counts() != null) for (LabelAndValue value : found.counts()) counts.add("{\"value\":\"" + value.label + "\",\"count\":" + value.value + "}");
        return "{\"total\":" + found.total() + ",\"results\":" + results + ",\"counts\":" + counts + "}";
    }
}
