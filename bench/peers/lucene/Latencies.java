import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** The measurement of `latencies.ts`, with a longer time for the compiler to warm up. */
class Latencies {
    private static final double WARM_SECONDS = 5;

    private final Engine engine;
    private final Map<String, List<String[]>> queries = new LinkedHashMap<>();

    Latencies(Engine engine, List<String[]> queries) throws IOException {
        this.engine = engine;
        for (String[] query : queries) {
            if (engine.answers(query[0])) this.queries.computeIfAbsent(query[0], kind -> new ArrayList<>()).add(query[1].split(" "));
        }
    }

    String measure(double seconds) throws IOException {
        double warm = Math.min(WARM_SECONDS, 5 * seconds) / queries.size();
        for (String kind : queries.keySet()) runFor(kind, warm);
        StringJoiner kinds = new StringJoiner(",", "{", "}");
        for (String kind : queries.keySet()) {
            runFor(kind, seconds / 4);
            kinds.add("\"" + kind + "\":" + runFor(kind, seconds));
        }
        return kinds.toString();
    }

    private String runFor(String kind, double seconds) throws IOException {
        List<String[]> list = queries.get(kind);
        double[] times = new double[1 << 16];
        int count = 0;
        double sum = 0;
        double matches = 0;
        long begun = System.nanoTime();
        for (;; count++) {
            long before = System.nanoTime();
            double elapsed = (before - begun) / 1e9;
            if (elapsed > seconds * 2 || (elapsed > seconds && count >= list.size())) break;
            int found = engine.total(kind, list.get(count % list.size()));
            if (count == times.length) times = Arrays.copyOf(times, count * 2);
            times[count] = (System.nanoTime() - before) / 1e3;
            sum += times[count];
            if (count < list.size()) matches += found;
        }
        times = Arrays.copyOf(times, count);
        Arrays.sort(times);
        return String.format("{\"perSecond\":%f,\"p50\":%f,\"p95\":%f,\"p99\":%f,\"matches\":%f}", count * 1e6 / sum, at(times, 0.5), at(times, 0.95), at(times, 0.99), matches / Math.min(count, list.size()));
    }

    private static double at(double[] sorted, double share) {
        return sorted[Math.min(sorted.length - 1, (int) (sorted.length * share))];
    }
}
