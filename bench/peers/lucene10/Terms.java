import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;

/** Words of texts and of queries, and the queries built from them. */
class Terms {
    static final String TEXT = "text";

    final Analyzer analyzer;

    Terms(boolean stemming, boolean stopWords) {
        CharArraySet stops = stopWords ? EnglishAnalyzer.getDefaultStopSet() : CharArraySet.EMPTY_SET;
        analyzer = stemming ? new EnglishAnalyzer(stops) : new StandardAnalyzer(stops);
    }

    /** Terms of a text, each as often as it occurs; repeated words of a question have more weight, as in Lucene's query parser. */
    List<Term> of(String text) throws IOException {
        List<Term> terms = new ArrayList<>();
        try (TokenStream stream = analyzer.tokenStream(TEXT, text)) {
            CharTermAttribute attribute = stream.addAttribute(CharTermAttribute.class);
            stream.reset();
            while (stream.incrementToken()) terms.add(new Term(TEXT, attribute.toString()));
            stream.end();
        }
        return terms;
    }

    Query each(String words, Occur occur) throws IOException {
        BooleanQuery.Builder query = new BooleanQuery.Builder();
        for (Term term : of(words)) query.add(new TermQuery(term), occur);
        return query.build();
    }

    Query phrase(String words) throws IOException {
        PhraseQuery.Builder phrase = new PhraseQuery.Builder();
        for (Term term : of(words)) phrase.add(term);
        return phrase.build();
    }
}
