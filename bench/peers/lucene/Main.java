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

/** Lucene as a peer: `java Main mode=speed texts=FILE ...` prints an answer as `job.ts` has it. */
public class Main {
    private static final int BATCH = 500;
    /** As in `child.ts`. */
    private static final int ROUNDS = 3;
    private static final int ROUNDS_SECONDS = 8;

    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.ROOT);
        Map<String, String> job = new HashMap<>();
        for (String arg : args) job.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
        List<String[]> queries = readQueries(Path.of(job.get("queries")));
        String mode = job.get("mode");
        Engine engine = engine(job, 0);
        Indexed indexed = index(engine, job, mode.equals("rank"));
        if (mode.equals("counts")) System.out.print(counts(engine, queries));
        else if (mode.equals("rank")) System.out.print(rankings(engine, queries, Integer.parseInt(job.get("limit"))));
        else {
            List<Double> rounds = new ArrayList<>(List.of(indexed.seconds));
            while (indexed.complete && rounds.size() < ROUNDS && rounds.size() * rounds.get(0) < ROUNDS_SECONDS) {
                engine = engine(job, rounds.size());
                rounds.add(index(engine, job, false).seconds);
            }
            rounds.sort(null);
            System.out.print(speed(engine, new Indexed(indexed.documents, indexed.bytes, rounds.get(rounds.size() / 2), indexed.complete), queries, Double.parseDouble(job.get("querySeconds"))));
        }
    }

    static Engine engine(Map<String, String> job, int round) throws IOException {
        return new Engine(Path.of(job.get("folder"), "lucene-" + round), job.get("stemming").equals("true"), job.get("stopWords").equals("true"), Integer.parseInt(job.get("fields")));
    }

    record Indexed(int documents, long bytes, double seconds, boolean complete) {}

    /** Time is taken of adding and committing alone; texts are read in batches before. */
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

    static String speed(Engine engine, Indexed indexed, List<String[]> queries, double seconds) throws IOException {
        String start = String.format("{\"speed\":{\"documents\":%d,\"bytes\":%d,\"indexSeconds\":%f,\"complete\":%b", indexed.documents, indexed.bytes, indexed.seconds, indexed.complete);
        if (!indexed.complete) return start + ",\"sizes\":{},\"kinds\":{}}}";
        engine.optimise();
        long files = engine.bytes();
        engine.open();
        String kinds = new Latencies(engine, queries).measure(seconds);
        long begun = System.nanoTime();
        engine.open();
        engine.total("term", queries.get(0)[1].split(" "));
        return start + String.format(",\"sizes\":{\"files\":%d},\"reopenMs\":%f,\"kinds\":%s}}", files, (System.nanoTime() - begun) / 1e6, kinds);
    }

    static String counts(Engine engine, List<String[]> queries) throws IOException {
        engine.open();
        StringJoiner numbers = new StringJoiner(",", "{\"counts\":[", "]}");
        for (String[] query : queries) numbers.add(String.valueOf(engine.total("term", query[1].split(" "))));
        return numbers.toString();
    }

    static String rankings(Engine engine, List<String[]> queries, int limit) throws IOException {
        engine.open();
        StringJoiner all = new StringJoiner(",", "{\"rankings\":[", "]}");
        for (String[] query : queries) {
            StringJoiner documents = new StringJoiner(",", "[", "]");
            for (int document : engine.rank(query[1], limit)) documents.add(String.valueOf(document));
            all.add(documents.toString());
        }
        return all.toString();
    }

    static List<String[]> readQueries(Path file) throws IOException {
        List<String[]> queries = new ArrayList<>();
        for (String line : Files.readAllLines(file)) if (!line.isEmpty()) queries.add(line.split("\t", 2));
        return queries;
    }
}
