import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.KeywordField;
import org.apache.lucene.document.LongField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.facet.FacetResult;
import org.apache.lucene.facet.FacetsCollector;
import org.apache.lucene.facet.FacetsCollectorManager;
import org.apache.lucene.facet.LabelAndValue;
import org.apache.lucene.facet.LongValueFacetCounts;
import org.apache.lucene.facet.StringDocValuesReaderState;
import org.apache.lucene.facet.StringValueFacetCounts;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortedNumericSelector;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.MMapDirectory;

/**
 * Searches with filters, facets, ranges and sorts. Metadata are keywords with doc values; days and numbers are points with doc
 * values, whose range queries use whichever is cheaper. The searcher keeps its default query cache.
 */
class FilterIndex {
    private static final String KEY = "key";
    private static final String DAY = "day";
    private static final String NUMBER = "price";
    private static final int BATCH = 500;
    private static final int BEST = 10;
    private static final int VALUES = 50;

    /** The result of a search; `counts` is null unless requested. */
    record Found(int total, ScoreDoc[] hits, List<LabelAndValue> counts) {}

    private final IndexSearcher searcher;
    private final Terms terms = new Terms(true, false);
    private final Map<String, StringDocValuesReaderState> states = new HashMap<>();

    private FilterIndex(IndexSearcher searcher, List<String> keywords) throws IOException {
        this.searcher = searcher;
        for (String name : keywords) states.put(name, new StringDocValuesReaderState(searcher.getIndexReader(), name));
    }

    static FilterIndex open(Map<String, String> job) throws IOException {
        List<String> keywords = new ArrayList<>();
        try (BufferedReader metadata = Files.newBufferedReader(Path.of(job.get("meta")))) {
            for (String name : metadata.readLine().split("\t")) if (!name.equals(DAY) && !name.equals(NUMBER)) keywords.add(name);
        }
        return new FilterIndex(new IndexSearcher(DirectoryReader.open(new MMapDirectory(folder(job)))), keywords);
    }

    private static Path folder(Map<String, String> job) {
        return Path.of(job.get("folder"), "lucene");
    }

    /** The result of the whole job: what was found, and how fast. */
    static String speed(Map<String, String> job) throws IOException {
        double[] written = write(job);
        FilterIndex index = open(job);
        Latencies<Ask> latencies = new Latencies<>();
        StringJoiner totals = new StringJoiner(",", "[", "]");
        for (String[] asked : Main.readQueries(job)) {
            Ask ask = Ask.fromQuery(asked[1]);
            latencies.add(asked[0], ask);
            totals.add(String.valueOf(index.search(ask).total));
        }
        String kinds = latencies.measure(Double.parseDouble(job.get("querySeconds")), ask -> {
            Found found = index.search(ask);
            index.keys(found);
            return found.total;
        });
        return String.format("{\"documents\":%.0f,\"indexSeconds\":%f,\"totals\":%s,\"kinds\":%s}", written[0], written[1], totals, kinds);
    }

    /** The documents, and the duration of adding and committing them, in seconds. */
    private static double[] write(Map<String, String> job) throws IOException {
        int documents = 0;
        long spent = 0;
        try (IndexWriter writer = new IndexWriter(new MMapDirectory(folder(job)), new IndexWriterConfig(new Terms(true, false).analyzer).setRAMBufferSizeMB(256).setMergeScheduler(new SerialMergeScheduler()));
                BufferedReader texts = Files.newBufferedReader(Path.of(job.get("texts")));
                BufferedReader metadata = Files.newBufferedReader(Path.of(job.get("meta")))) {
            String[] names = metadata.readLine().split("\t");
            List<String[]> batch = new ArrayList<>();
            do {
                batch.clear();
                for (String line; batch.size() < BATCH && (line = texts.readLine()) != null;) batch.add(new String[] {line, metadata.readLine()});
                long begun = System.nanoTime();
                for (String[] lines : batch) writer.addDocument(document(documents++, lines[0], names, lines[1].split("\t")));
                spent += System.nanoTime() - begun;
            } while (batch.size() == BATCH);
            long begun = System.nanoTime();
            writer.commit();
            spent += System.nanoTime() - begun;
            writer.forceMerge(1);
        }
        return new double[] {documents, spent / 1e9};
    }

    private static Document document(int number, String text, String[] names, String[] values) {
        Document document = new Document();
        document.add(new StoredField(KEY, "page-" + number));
        document.add(new TextField(Terms.TEXT, text, Field.Store.NO));
        for (int i = 0; i < names.length; i++) {
            document.add(switch (names[i]) {
                case DAY -> new LongField(DAY, LocalDate.parse(values[i]).toEpochDay(), Field.Store.NO);
                case NUMBER -> new LongField(NUMBER, Long.parseLong(values[i]), Field.Store.NO);
                default -> new KeywordField(names[i], values[i], Field.Store.NO);
            });
        }
        return document;
    }

    Found search(Ask ask) throws IOException {
        Query query = query(ask);
        int wanted = ask.offset + BEST;
        if (ask.facet != null || ask.histogram != null) {
            FacetsCollectorManager.FacetsResult result = FacetsCollectorManager.search(searcher, query, ask.words.isEmpty() ? 0 : wanted, new FacetsCollectorManager());
            FacetsCollector matches = result.facetsCollector();
            return new Found(totalOf(matches), result.topDocs().scoreDocs, counts(ask, matches));
        }
        if (ask.sort != null) {
            Sort sort = new Sort(LongField.newSortField(ask.sort, true, SortedNumericSelector.Type.MAX));
            // The total is counted separately, so that the sort may skip documents that cannot be among the best.
            return new Found(searcher.count(query), page(searcher.search(query, new TopFieldCollectorManager(sort, wanted, 1)), ask.offset), null);
        }
        if (ask.words.isEmpty()) return new Found(searcher.count(query), page(searcher.search(query, new TopScoreDocCollectorManager(wanted, 1)), ask.offset), null);
        TopDocs best = searcher.search(query, new TopScoreDocCollectorManager(wanted, Integer.MAX_VALUE));
        return new Found((int) best.totalHits.value(), page(best, ask.offset), null);
    }

    /** The keys of the results, read from the stored fields. */
    List<String> keys(Found found) throws IOException {
        StoredFields stored = searcher.storedFields();
        List<String> keys = new ArrayList<>();
        for (ScoreDoc hit : found.hits) keys.add(stored.document(hit.doc, Set.of(KEY)).get(KEY));
        return keys;
    }

    private Query query(Ask ask) throws IOException {
        List<Query> filters = new ArrayList<>();
        if (ask.filter != null) filters.add(KeywordField.newExactQuery(ask.filter[0], ask.filter[1]));
        if (ask.hasDays()) filters.add(LongField.newRangeQuery(DAY, ask.firstDay, ask.lastDay));
        BooleanQuery.Builder query = new BooleanQuery.Builder();
        if (ask.words.isEmpty()) {
            if (filters.isEmpty()) return MatchAllDocsQuery.INSTANCE;
            if (filters.size() == 1) return new ConstantScoreQuery(filters.get(0));
        } else {
            Query words = words(ask);
            if (filters.isEmpty()) return words;
            query.add(words, Occur.MUST);
        }
        for (Query filter : filters) query.add(filter, Occur.FILTER);
        return query.build();
    }

    private Query words(Ask ask) throws IOException {
        return switch (ask.match) {
            case "all" -> terms.each(ask.words, Occur.MUST);
            case "phrase" -> terms.phrase(ask.words);
            default -> terms.each(ask.words, Occur.SHOULD);
        };
    }

    private List<LabelAndValue> counts(Ask ask, FacetsCollector matches) throws IOException {
        if (ask.histogram != null) return List.of(new LongValueFacetCounts(ask.histogram, matches).getAllChildrenSortByValue().labelValues);
        FacetResult result = new StringValueFacetCounts(states.get(ask.facet), matches).getTopChildren(VALUES, ask.facet);
        return result == null ? List.of() : List.of(result.labelValues);
    }

    private static int totalOf(FacetsCollector matches) {
        int total = 0;
        for (FacetsCollector.MatchingDocs segment : matches.getMatchingDocs()) total += segment.totalHits();
        return total;
    }

    private static ScoreDoc[] page(TopDocs best, int offset) {
        if (offset == 0) return best.scoreDocs;
        int first = Math.min(offset, best.scoreDocs.length);
        ScoreDoc[] page = new ScoreDoc[best.scoreDocs.length - first];
        System.arraycopy(best.scoreDocs, first, page, 0, page.length);
        return page;
    }
}
