//! Full-text search with positions: the job of `../job.ts`.
use crate::Result;
use crate::job::{BATCH, Job};
use crate::latency::{by_kind, measure, run_for};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{
    BooleanQuery, FuzzyTermQuery, Occur, PhraseQuery, Query, RegexQuery, TermQuery,
};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{
    Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer,
};
use tantivy::{Index, IndexReader, IndexWriter, Searcher, Term, doc};

const WRITER_BYTES: usize = 256_000_000;
const WARM_SECONDS: f64 = 1.0;
/// As in `../child.ts`.
const ROUNDS: usize = 3;
const ROUNDS_SECONDS: f64 = 8.0;

pub struct TextIndex {
    index: Index,
    text: Field,
    id: Field,
    analyzer: TextAnalyzer,
}

struct Indexed {
    documents: u64,
    bytes: usize,
    seconds: f64,
    complete: bool,
}

/// The analysis for `TextOptions` and queries: words in lower case, with English stemming if requested.
pub fn analyzer(stemming: bool, stop_words: bool) -> TextAnalyzer {
    let mut builder = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter_dynamic(RemoveLongFilter::limit(255))
        .filter_dynamic(LowerCaser);
    if stop_words {
        builder = builder.filter_dynamic(
            StopWordFilter::new(Language::English).expect("English has stop words"),
        );
    }
    if stemming {
        builder = builder.filter_dynamic(Stemmer::new(Language::English));
    }
    builder.build()
}

pub fn text_options(tokenizer: &str) -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions),
    )
}

pub fn terms_of(analyzer: &mut TextAnalyzer, field: Field, text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    analyzer
        .token_stream(text)
        .process(&mut |token| terms.push(Term::from_field_text(field, &token.text)));
    terms
}

pub fn each(terms: Vec<Term>, occur: Occur) -> Box<dyn Query> {
    Box::new(BooleanQuery::new(
        terms
            .into_iter()
            .map(|term| (occur, term_query(term)))
            .collect(),
    ))
}

fn term_query(term: Term) -> Box<dyn Query> {
    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
}

/// A single segment is the fastest to read. No other writer may be open, so that no merge is in progress.
pub fn merge_all(index: &Index) -> Result<()> {
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()?;
    Ok(())
}

pub fn bytes_in(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        sum += entry?.metadata()?.len();
    }
    Ok(sum)
}

impl TextIndex {
    fn create(folder: &Path, job: &Job) -> Result<TextIndex> {
        std::fs::create_dir_all(folder)?;
        let mut schema = Schema::builder();
        let text = schema.add_text_field("text", text_options("bench"));
        let id = schema.add_u64_field("id", FAST);
        let index = Index::create_in_dir(folder, schema.build())?;
        let analyzer = analyzer(job.is("stemming"), job.is("stopWords"));
        index.tokenizers().register("bench", analyzer.clone());
        Ok(TextIndex {
            index,
            text,
            id,
            analyzer,
        })
    }

    /// Only adding, committing and merging are timed; texts are read in batches before.
    fn fill(&self, job: &Job) -> Result<Indexed> {
        let mut writer = self.index.writer_with_num_threads(1, WRITER_BYTES)?;
        let limit = job.number("indexSeconds")?;
        let (mut documents, mut bytes, mut seconds) = (0, 0, 0.0);
        let mut lines = job.lines("texts")?;
        loop {
            let batch: Vec<String> = lines.by_ref().take(BATCH).collect::<std::io::Result<_>>()?;
            let begun = Instant::now();
            for line in &batch {
                writer.add_document(doc!(self.text => line.as_str(), self.id => documents))?;
                documents += 1;
            }
            seconds += begun.elapsed().as_secs_f64();
            bytes += batch.iter().map(String::len).sum::<usize>();
            if seconds > limit {
                return Ok(Indexed {
                    documents,
                    bytes,
                    seconds,
                    complete: false,
                });
            }
            if batch.len() < BATCH {
                break;
            }
        }
        let begun = Instant::now();
        writer.commit()?;
        writer.wait_merging_threads()?;
        Ok(Indexed {
            documents,
            bytes,
            seconds: seconds + begun.elapsed().as_secs_f64(),
            complete: true,
        })
    }

    fn reader(&self) -> Result<IndexReader> {
        Ok(self.index.reader()?)
    }

    /// None if the kind is not supported.
    fn query(&self, kind: &str, words: &str) -> Result<Option<Box<dyn Query>>> {
        let terms = terms_of(&mut self.analyzer.clone(), self.text, words);
        Ok(Some(match kind {
            "term" => term_query(terms[0].clone()),
            "or" | "heavy" => each(terms, Occur::Should),
            "and" | "pair" => each(terms, Occur::Must),
            "phrase" => Box::new(PhraseQuery::new(terms)),
            "prefix" => Box::new(RegexQuery::from_pattern(&format!("{words}.*"), self.text)?),
            "infix" => Box::new(RegexQuery::from_pattern(
                &format!(".*{words}.*"),
                self.text,
            )?),
            "fuzzy" => Box::new(FuzzyTermQuery::new(terms[0].clone(), 1, true)),
            _ => return Ok(None),
        }))
    }

    fn queries(&self, job: &Job) -> Result<Vec<(String, Box<dyn Query>)>> {
        let mut queries = Vec::new();
        for (kind, words) in job.queries()? {
            if let Some(query) = self.query(&kind, &words)? {
                queries.push((kind, query));
            }
        }
        Ok(queries)
    }
}

/// The best ten and the number of matches.
fn total(searcher: &Searcher, query: &dyn Query) -> Result<usize> {
    let (_best, total) =
        searcher.search(query, &(TopDocs::with_limit(10).order_by_score(), Count))?;
    Ok(total)
}

/// Only the best ten, so that it may skip documents that cannot be among them.
fn best(searcher: &Searcher, query: &dyn Query) -> Result<usize> {
    Ok(searcher
        .search(query, &TopDocs::with_limit(10).order_by_score())?
        .len())
}

pub fn speed(job: &Job) -> Result<Value> {
    let mut folder = job.folder("tantivy-0")?;
    let mut engine = TextIndex::create(&folder, job)?;
    let mut indexed = engine.fill(job)?;
    if !indexed.complete {
        return Ok(
            json!({ "speed": { "documents": indexed.documents, "bytes": indexed.bytes, "indexSeconds": indexed.seconds, "complete": false, "sizes": {}, "kinds": {} } }),
        );
    }
    let mut rounds = vec![indexed.seconds];
    while rounds.len() < ROUNDS && rounds.len() as f64 * rounds[0] < ROUNDS_SECONDS {
        folder = job.folder(&format!("tantivy-{}", rounds.len()))?;
        engine = TextIndex::create(&folder, job)?;
        indexed = engine.fill(job)?;
        rounds.push(indexed.seconds);
    }
    rounds.sort_by(f64::total_cmp);
    merge_all(&engine.index)?;
    let searcher = engine.reader()?.searcher();
    let seconds = job.number("querySeconds")?;
    let kinds = by_kind(engine.queries(job)?);
    for (_, list) in &kinds {
        run_for(
            list,
            WARM_SECONDS.min(seconds) / kinds.len() as f64,
            &|query| total(&searcher, query),
        )?;
    }
    let mut exact = serde_json::Map::new();
    let mut without = serde_json::Map::new();
    for (kind, list) in &kinds {
        exact.insert(
            kind.clone(),
            json!(measure(list, seconds, |query| total(&searcher, query))?),
        );
        if job.is("withoutTotals") {
            without.insert(
                kind.clone(),
                json!(measure(list, seconds, |query| best(&searcher, query))?),
            );
        }
    }
    let files = bytes_in(&folder)?;
    let begun = Instant::now();
    let reopened = Index::open_in_dir(&folder)?;
    let searcher = reopened.reader()?.searcher();
    if let Some((_, list)) = kinds.first() {
        total(&searcher, &list[0])?;
    }
    let reopen_ms = begun.elapsed().as_secs_f64() * 1e3;
    Ok(json!({ "speed": {
        "documents": indexed.documents, "bytes": indexed.bytes, "indexSeconds": rounds[rounds.len() / 2], "complete": true,
        "sizes": { "files": files }, "reopenMs": reopen_ms, "kinds": exact, "withoutTotals": without,
    } }))
}

pub fn counts(job: &Job) -> Result<Value> {
    let engine = TextIndex::create(&job.folder("tantivy")?, job)?;
    engine.fill(job)?;
    let searcher = engine.reader()?.searcher();
    let mut counts = Vec::new();
    for (_, query) in engine.queries(job)? {
        counts.push(searcher.search(&query, &Count)?);
    }
    Ok(json!({ "counts": counts }))
}

/// A query for any of the words of a question; title and text are one field.
pub fn rankings(job: &Job) -> Result<Value> {
    let mut engine = TextIndex::create(&job.folder("tantivy")?, job)?;
    engine.fill(job)?;
    let searcher = engine.reader()?.searcher();
    let limit = job.number("limit")? as usize;
    let mut rankings = Vec::new();
    for (_, question) in job.queries()? {
        let query = each(
            terms_of(&mut engine.analyzer, engine.text, &question),
            Occur::Should,
        );
        let mut documents = Vec::new();
        for (_, address) in searcher.search(&query, &TopDocs::with_limit(limit).order_by_score())? {
            documents.push(
                searcher
                    .segment_reader(address.segment_ord)
                    .fast_fields()
                    .u64("id")?
                    .first(address.doc_id),
            );
        }
        rankings.push(documents);
    }
    Ok(json!({ "rankings": rankings }))
}
