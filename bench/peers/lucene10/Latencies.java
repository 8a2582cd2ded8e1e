import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** The measurement of `latencies.ts`, with a longer warm-up for the compiler. */
class Latencies<Q> {
    private static final double WARM_SECONDS = 5;

    /** Runs a query and returns the number of matching documents. */
    interface Ask<Q> {
        int ask(Q query) throws IOException;
    }

    private final Map<String, List<Q>> queries = new LinkedHashMap<>();

    void add(String kind, Q query) {
        queries.computeIfAbsent(kind, any -> new ArrayList<>()).add(query);
    }

    /** An object of `Latency` by kind. */
    String measure(double seconds, Ask<Q> engine) throws IOException {
        double warm = Math.min(WARM_SECONDS, 5 * seconds) / queries.size();
        for (List<Q> list : queries.values()) runFor(list, warm, engine);
        StringJoiner kinds = new StringJoiner(",", "{", "}");
        for (Map.Entry<String, List<Q>> kind : queries.entrySet()) {
            runFor(kind.getValue(), seconds / 4, engine);
            kinds.add("\"" + kind.getKey() + "\":" + runFor(kind.getValue(), seconds, engine));
        }
        return kinds.toString();
    }

    private String runFor(List<Q> list, double seconds, Ask<Q> engine) throws IOException {
        double[] times = new double[1 << 16];
        int count = 0;
        double sum = 0;
        double matches = 0;
        long begun = System.nanoTime();
        for (;; count++) {
            long before = System.nanoTime();
            double elapsed = (before - begun) / 1e9;
            if (count > 0 && (elapsed > seconds * 2 || (elapsed > seconds && count >= list.size()))) break;
            int found = engine.ask(list.get(count % list.size()));
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
