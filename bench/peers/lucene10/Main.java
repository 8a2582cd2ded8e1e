import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import org.apache.lucene.search.Query;

/**
 * Lucene as a peer: `java Main mode=speed|counts|rank|filters|serve NAME=VALUE ...` prints a result in the form of `../job.ts` or
 * `../filters/job.ts`; `serve` prints its address and runs until it is ended.
 */
public class Main {
    private static final int BATCH = 500;
    /** As in `child.ts`. */
    private static final int ROUNDS = 3;
    private static final int ROUNDS_SECONDS = 8;

    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.ROOT);
        Map<String, String> job = new HashMap<>();
        for (String arg : args) job.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
        switch (job.get("mode")) {
            case "speed" -> System.out.print(speed(job));
            case "counts" -> System.out.print(counts(job));
            case "rank" -> System.out.print(rankings(job));
            case "filters" -> System.out.print(FilterIndex.speed(job));
            case "serve" -> Server.serve(FilterIndex.open(job));
            default -> throw new IllegalArgumentException("unknown mode " + job.get("mode"));
        }
    }

    static Engine engine(Map<String, String> job, int round) throws IOException {
        Path folder = Path.of(job.get("folder"), "lucene-" + round);
        return new Engine(folder, job.get("stemming").equals("true"), job.get("stopWords").equals("true"), Integer.parseInt(job.get("fields")), Float.parseFloat(job.get("titleWeight")));
    }

    record Indexed(int documents, long bytes, double seconds, boolean complete) {}

    /** Only adding and committing are timed; texts are read in batches before. */
    static Indexed index(Engine engine, Map<String, String> job, boolean titled) throws IOException {
        double limit = Double.parseDouble(job.get("indexSeconds"));
        int documents = 0;
        long bytes = 0;
        long spent = 0;
        List<String> batch = new ArrayList<>();
        try (BufferedReader reader = Files.newBufferedReader(Path.of(job.get("texts")))) {
            for (boolean more = true; more;) {
                batch.clear();
                for (String line; batch.size() < BATCH && (line = reader.readLine()) != null;) {
                    batch.add(line);
                    bytes += line.getBytes(StandardCharsets.UTF_8).length;
                }
                more = batch.size() == BATCH;
                long begun = System.nanoTime();
                for (String line : batch) {
                    int tab = titled ? line.indexOf('\t') : -1;
                    engine.add(tab < 0 ? "" : line.substring(0, tab), line.substring(tab + 1));
                    documents++;
                }
                spent += System.nanoTime() - begun;
                if (spent / 1e9 > limit) return new Indexed(documents, bytes, spent / 1e9, false);
            }
        }
        long begun = System.nanoTime();
        engine.commit();
        return new Indexed(documents, bytes, (spent + System.nanoTime() - begun) / 1e9, true);
    }

    static String speed(Map<String, String> job) throws IOException {
        Engine engine = engine(job, 0);
        Indexed indexed = index(engine, job, false);
        List<Double> rounds = new ArrayList<>(List.of(indexed.seconds));
        while (indexed.complete && rounds.size() < ROUNDS && rounds.size() * rounds.get(0) < ROUNDS_SECONDS) {
            engine = engine(job, rounds.size());
            rounds.add(index(engine, job, false).seconds);
        }
        rounds.sort(null);
        String start = String.format("{\"speed\":{\"documents\":%d,\"bytes\":%d,\"indexSeconds\":%f,\"complete\":%b", indexed.documents, indexed.bytes, rounds.get(rounds.size() / 2), indexed.complete);
        if (!indexed.complete) return start + ",\"sizes\":{},\"kinds\":{}}}";
        engine.optimise();
        long files = engine.bytes();
        engine.open();
        Latencies<Query> latencies = new Latencies<>();
        Query first = null;
        for (String[] asked : readQueries(job)) {
            Query query = engine.query(asked[0], asked[1]);
            if (query == null) continue;
            latencies.add(asked[0], query);
            if (first == null) first = query;
        }
        double seconds = Double.parseDouble(job.get("querySeconds"));
        String kinds = latencies.measure(seconds, engine::total);
        String without = job.get("withoutTotals").equals("true") ? latencies.measure(seconds, engine::best) : "{}";
        long begun = System.nanoTime();
        engine.open();
        engine.total(first);
        return start + String.format(",\"sizes\":{\"files\":%d},\"reopenMs\":%f,\"kinds\":%s,\"withoutTotals\":%s}}", files, (System.nanoTime() - begun) / 1e6, kinds, without);
    }

    static String counts(Map<String, String> job) throws IOException {
        Engine engine = indexed(job, false);
        StringJoiner numbers = new StringJoiner(",", "{\"counts\":[", "]}");
        for (String[] asked : readQueries(job)) numbers.add(String.valueOf(engine.total(engine.query(asked[0], asked[1]))));
        return numbers.toString();
    }

    static String rankings(Map<String, String> job) throws IOException {
        Engine engine = indexed(job, true);
        int limit = Integer.parseInt(job.get("limit"));
        StringJoiner all = new StringJoiner(",", "{\"rankings\":[", "]}");
        for (String[] asked : readQueries(job)) {
            StringJoiner documents = new StringJoiner(",", "[", "]");
            for (int document : engine.rank(asked[1], limit)) documents.add(String.valueOf(document));
            all.add(documents.toString());
        }
        return all.toString();
    }

    private static Engine indexed(Map<String, String> job, boolean titled) throws IOException {
        Engine engine = engine(job, 0);
        index(engine, job, titled);
        engine.optimise();
        engine.open();
        return engine;
    }

    static List<String[]> readQueries(Map<String, String> job) throws IOException {
        List<String[]> queries = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(job.get("queries")))) if (!line.isEmpty()) queries.add(line.split("\t", 2));
        return queries;
    }
}
