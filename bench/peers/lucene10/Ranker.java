import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.CombinedFieldQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.MMapDirectory;

/** Lucene 10 as a peer that ranks: `java Ranker texts=FILE queries=FILE ...` prints an answer as `job.ts` has it. */
public class Ranker {
    static final String TEXT = "text";
    static final String TITLE = "title";

    public static void main(String[] args) throws Exception {
        Map<String, String> job = new HashMap<>();
        for (String arg : args) job.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
        boolean stemming = job.get("stemming").equals("true");
        CharArraySet stops = job.get("stopWords").equals("true") ? EnglishAnalyzer.getDefaultStopSet() : CharArraySet.EMPTY_SET;
        Analyzer analyzer = stemming ? new EnglishAnalyzer(stops) : new StandardAnalyzer(stops);
        boolean titleApart = job.get("fields").equals("2");
        MMapDirectory directory = new MMapDirectory(Path.of(job.get("folder"), "lucene-10"));
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer).setRAMBufferSizeMB(256));
                BufferedReader texts = Files.newBufferedReader(Path.of(job.get("texts")))) {
            for (String line; (line = texts.readLine()) != null;) {
                int tab = line.indexOf('\t');
                Document document = new Document();
                if (titleApart) document.add(new TextField(TITLE, line.substring(0, tab), Field.Store.NO));
                document.add(new TextField(TEXT, titleApart ? line.substring(tab + 1) : line, Field.Store.NO));
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
        float titleWeight = Float.parseFloat(job.get("titleWeight"));
        StringJoiner rankings = new StringJoiner(",", "{\"rankings\":[", "]}");
        for (String line : Files.readAllLines(Path.of(job.get("queries")))) {
            List<String> terms = terms(analyzer, line.substring(line.indexOf('\t') + 1));
            StringJoiner documents = new StringJoiner(",", "[", "]");
            for (ScoreDoc hit : searcher.search(query(terms, titleApart, titleWeight), Integer.parseInt(job.get("limit"))).scoreDocs) documents.add(Integer.toString(hit.doc));
            rankings.add(documents.toString());
        }
        System.out.print(rankings);
    }

    /** With two fields BM25F, as `CombinedFieldQuery` has it: frequencies are weighted and added up before they saturate. */
    static Query query(List<String> terms, boolean titleApart, float titleWeight) {
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        for (String term : terms) {
            any.add(titleApart ? new CombinedFieldQuery.Builder(term).addField(TITLE, titleWeight).addField(TEXT, 1).build() : new TermQuery(new Term(TEXT, term)), Occur.SHOULD);
        }
        return any.build();
    }

    static List<String> terms(Analyzer analyzer, String text) throws Exception {
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
