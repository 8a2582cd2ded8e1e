import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.CombinedFieldQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.store.MMapDirectory;

/** An index with positions, used in one thread. Documents are numbered in the order in which they are added. */
class Engine {
    private static final String TITLE = "title";
    private static final int BEST = 10;

    private final Terms terms;
    private final MMapDirectory directory;
    private final IndexWriter writer;
    private final boolean titleApart;
    private final float titleWeight;
    private IndexSearcher searcher;

    Engine(Path folder, boolean stemming, boolean stopWords, int fields, float titleWeight) throws IOException {
        terms = new Terms(stemming, stopWords);
        titleApart = fields == 2;
        this.titleWeight = titleWeight;
        directory = new MMapDirectory(folder);
        writer = new IndexWriter(directory, new IndexWriterConfig(terms.analyzer).setRAMBufferSizeMB(256).setMergeScheduler(new SerialMergeScheduler()));
    }

    void add(String title, String text) throws IOException {
        Document document = new Document();
        if (titleApart) document.add(new TextField(TITLE, title, Field.Store.NO));
        document.add(new TextField(Terms.TEXT, titleApart ? text : title + " " + text, Field.Store.NO));
        writer.addDocument(document);
    }

    void commit() throws IOException {
        writer.commit();
    }

    /** A single segment is the fastest to read. */
    void optimise() throws IOException {
        writer.forceMerge(1);
        writer.commit();
    }

    void open() throws IOException {
        searcher = new IndexSearcher(DirectoryReader.open(directory));
    }

    long bytes() throws IOException {
        long sum = 0;
        for (String file : directory.listAll()) sum += directory.fileLength(file);
        return sum;
    }

    /** Finds the best ten documents and returns the number of matches. */
    int total(Query query) throws IOException {
        TopDocs best = searcher.search(query, new TopScoreDocCollectorManager(BEST, Integer.MAX_VALUE));
        return (int) best.totalHits.value();
    }

    /** Finds only the best ten documents, so that it may skip documents that cannot be among them; returns how many were found. */
    int best(Query query) throws IOException {
        return searcher.search(query, new TopScoreDocCollectorManager(BEST, 1)).scoreDocs.length;
    }

    /** With two fields, uses BM25F in the form of `CombinedFieldQuery`: frequencies are weighted and added up before saturation. */
    int[] rank(String question, int limit) throws IOException {
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        for (Term term : terms.of(question)) any.add(titleApart ? combined(term) : new TermQuery(term), Occur.SHOULD);
        ScoreDoc[] best = searcher.search(any.build(), limit).scoreDocs;
        int[] documents = new int[best.length];
        for (int i = 0; i < best.length; i++) documents[i] = best[i].doc;
        return documents;
    }

    private Query combined(Term term) {
        return new CombinedFieldQuery.Builder(term.text()).addField(TITLE, titleWeight).addField(Terms.TEXT, 1).build();
    }

    /** Null if the kind is not supported. */
    Query query(String kind, String words) throws IOException {
        switch (kind) {
            case "term": return new TermQuery(terms.of(words).get(0));
            case "or": case "heavy": return terms.each(words, Occur.SHOULD);
            case "and": case "pair": return terms.each(words, Occur.MUST);
            case "phrase": return terms.phrase(words);
            case "prefix": return new PrefixQuery(new Term(Terms.TEXT, words));
            case "infix": return new WildcardQuery(new Term(Terms.TEXT, "*" + words + "*"));
            case "fuzzy": return new FuzzyQuery(terms.of(words).get(0), 1);
            default: return null;
        }
    }
}
