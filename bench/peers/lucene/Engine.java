import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.util.CharArraySet;
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
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.Version;

/** An index with positions in one thread. Documents are numbered in the order in which they come. */
class Engine {
    static final String TEXT = "text";
    static final String TITLE = "title";

    private final Analyzer analyzer;
    private final Directory directory;
    private final IndexWriter writer;
    private final boolean titleApart;
    private IndexSearcher searcher;

    Engine(Path folder, boolean stemming, boolean stopWords, int fields) throws IOException {
        CharArraySet stops = stopWords ? EnglishAnalyzer.getDefaultStopSet() : CharArraySet.EMPTY_SET;
        analyzer = stemming ? new EnglishAnalyzer(stops) : new StandardAnalyzer(stops);
        titleApart = fields == 2;
        directory = new MMapDirectory(folder.toFile());
        IndexWriterConfig config = new IndexWriterConfig(Version.LATEST, analyzer).setSimilarity(new BM25Similarity()).setRAMBufferSizeMB(256).setMergeScheduler(new SerialMergeScheduler());
        writer = new IndexWriter(directory, config);
    }

    void add(String title, String text) throws IOException {
        Document document = new Document();
        if (titleApart) document.add(new TextField(TITLE, title, Field.Store.NO));
        document.add(new TextField(TEXT, titleApart ? text : title + " " + text, Field.Store.NO));
        writer.addDocument(document);
    }

    void commit() throws IOException {
        writer.commit();
    }

    /** One segment is read fastest. */
    void optimise() throws IOException {
        writer.forceMerge(1);
        writer.commit();
    }

    void open() throws IOException {
        searcher = new IndexSearcher(DirectoryReader.open(directory));
        searcher.setSimilarity(new BM25Similarity());
    }

    long bytes() throws IOException {
        long sum = 0;
        for (String file : directory.listAll()) sum += directory.fileLength(file);
        return sum;
    }

    /** Finds the best ten documents and gives how many match: the collector of version 4 counts them all. */
    int total(String kind, String[] words) throws IOException {
        return searcher.search(query(kind, words), 10).totalHits;
    }

    int[] rank(String question, int limit) throws IOException {
        BooleanQuery any = new BooleanQuery();
        for (String field : titleApart ? new String[] {TITLE, TEXT} : new String[] {TEXT}) {
            for (String term : terms(question)) any.add(new TermQuery(new Term(field, term)), Occur.SHOULD);
        }
        TopDocs best = searcher.search(any, limit);
        int[] documents = new int[best.scoreDocs.length];
        int i = 0;
        for (ScoreDoc hit : best.scoreDocs) documents[i++] = hit.doc;
        return documents;
    }

    /** Null for what it cannot be asked. */
    private Query query(String kind, String[] words) throws IOException {
        switch (kind) {
            case "term": return new TermQuery(term(words[0]));
            case "or": case "heavy": return all(words, Occur.SHOULD);
            case "and": return all(words, Occur.MUST);
            case "prefix": return new PrefixQuery(new Term(TEXT, words[0]));
            case "infix": return new WildcardQuery(new Term(TEXT, "*" + words[0] + "*"));
            case "fuzzy": return new FuzzyQuery(term(words[0]), 1);
            case "phrase":
                PhraseQuery phrase = new PhraseQuery();
                for (String word : words) phrase.add(term(word));
                return phrase;
            default: return null;
        }
    }

    boolean answers(String kind) throws IOException {
        return query(kind, new String[] {"word"}) != null;
    }

    private Query all(String[] words, Occur occur) throws IOException {
        BooleanQuery query = new BooleanQuery();
        for (String word : words) query.add(new TermQuery(term(word)), occur);
        return query;
    }

    private Term term(String word) throws IOException {
        return new Term(TEXT, terms(word).get(0));
    }

    /** Terms of a text, each as often as it comes; a question's repeated words weigh more, as its query parser has it. */
    private List<String> terms(String text) throws IOException {
        List<String> terms = new ArrayList<>();
        try (TokenStream stream = analyzer.tokenStream(TEXT, text)) {
            CharTermAttribute attribute = stream.addAttribute(CharTermAttribute.class);
            stream.reset();
            while (stream.incrementToken()) terms.add(attribute.toString());
            stream.end();
        }
        return terms;
    }
}
