//! Searches with filters, facets, ranges and sorts: the job of `../filters/job.ts`. Each metadata key is a fast field that is
//! also indexed; filters are terms without a score, ranges read the fast field.
use crate::Result;
use crate::ask::{Ask, day_of};
use crate::job::{BATCH, Job};
use crate::latency::{by_kind, measure, run_for};
use crate::text::{analyzer, each, merge_all, terms_of, text_options};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Bound;
use std::path::Path;
use std::time::Instant;
use tantivy::aggregation::AggregationCollector;
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EnableScoring, Occur, PhraseQuery, Query, RangeQuery,
    TermQuery,
};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, Value as _,
};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{DocAddress, DocSet, Index, Order, Searcher, TERMINATED, TantivyDocument, Term};

const WRITER_BYTES: usize = 256_000_000;
const WARM_SECONDS: f64 = 1.0;
const LIMIT: usize = 10;
const DAYS: &str = "day";
const NUMBERS: &str = "price";

pub struct FilterIndex {
    searcher: Searcher,
    text: Field,
    key: Field,
    fields: HashMap<String, Field>,
    analyzer: TextAnalyzer,
}

/// The result of a search.
pub struct Found {
    pub total: usize,
    pub hits: Vec<(Option<f32>, DocAddress)>,
    pub counts: Option<Value>,
}

impl FilterIndex {
    /// Writes the index; returns the documents and the duration in seconds, which excludes reading them.
    pub fn write(job: &Job) -> Result<(u64, f64)> {
        let folder = job.folder("tantivy")?;
        std::fs::create_dir_all(&folder)?;
        let mut metadata = job.lines("meta")?;
        let names: Vec<String> = metadata
            .next()
            .ok_or("the metadata are empty")??
            .split('\t')
            .map(str::to_string)
            .collect();
        let mut schema = Schema::builder();
        let text = schema.add_text_field("text", text_options("bench"));
        let key = schema.add_text_field("key", STRING | STORED);
        let fields: Vec<Field> = names
            .iter()
            .map(|name| match name.as_str() {
                DAYS => schema.add_i64_field(name, INDEXED | FAST),
                NUMBERS => schema.add_u64_field(name, INDEXED | FAST),
                _ => schema.add_text_field(name, STRING | FAST),
            })
            .collect();
        let index = Index::create_in_dir(&folder, schema.build())?;
        index.tokenizers().register("bench", analyzer(true, false));
        let mut writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        let mut texts = job.lines("texts")?;
        let (mut documents, mut seconds) = (0, 0.0);
        loop {
            let batch: Vec<(String, String)> = texts
                .by_ref()
                .zip(metadata.by_ref())
                .take(BATCH)
                .map(|(line, row)| Ok((line?, row?)))
                .collect::<std::io::Result<_>>()?;
            let begun = Instant::now();
            for (line, row) in &batch {
                let mut document = TantivyDocument::default();
                document.add_text(text, line);
                document.add_text(key, format!("page-{documents}"));
                for ((name, field), value) in names.iter().zip(&fields).zip(row.split('\t')) {
                    match name.as_str() {
                        DAYS => document.add_i64(*field, day_of(value)?),
                        NUMBERS => document.add_u64(*field, value.parse()?),
                        _ => document.add_text(*field, value),
                    }
                }
                writer.add_document(document)?;
                documents += 1;
            }
            seconds += begun.elapsed().as_secs_f64();
            if batch.len() < BATCH {
                break;
            }
        }
        let begun = Instant::now();
        writer.commit()?;
        writer.wait_merging_threads()?;
        seconds += begun.elapsed().as_secs_f64();
        merge_all(&index)?;
        Ok((documents, seconds))
    }

    pub fn open(job: &Job) -> Result<FilterIndex> {
        let index = Index::open_in_dir(Path::new(job.text("folder")?).join("tantivy"))?;
        let analyzer = analyzer(true, false);
        index.tokenizers().register("bench", analyzer.clone());
        let schema = index.schema();
        let fields = schema
            .fields()
            .map(|(field, entry)| (entry.name().to_string(), field))
            .collect();
        Ok(FilterIndex {
            searcher: index.reader()?.searcher(),
            text: schema.get_field("text")?,
            key: schema.get_field("key")?,
            fields,
            analyzer,
        })
    }

    pub fn search(&self, ask: &Ask) -> Result<Found> {
        let query = self.query(ask)?;
        let best = || TopDocs::with_limit(LIMIT).and_offset(ask.offset);
        if let Some(counts) = self.aggregations(ask)? {
            let counting = AggregationCollector::from_aggs(counts, Default::default());
            if ask.words.is_empty() {
                let (total, counts) = self.searcher.search(&query, &(Count, counting))?;
                return Ok(Found {
                    total,
                    hits: Vec::new(),
                    counts: Some(serde_json::to_value(counts)?),
                });
            }
            let (hits, total, counts) = self
                .searcher
                .search(&query, &(best().order_by_score(), Count, counting))?;
            return Ok(Found {
                total,
                hits: scored(hits),
                counts: Some(serde_json::to_value(counts)?),
            });
        }
        if let Some(field) = &ask.sort {
            let hits = self.searcher.search(
                &query,
                &best().order_by_fast_field::<u64>(field, Order::Desc),
            )?;
            return Ok(Found {
                total: query.count(&self.searcher)?,
                hits: hits
                    .into_iter()
                    .map(|(_, address)| (None, address))
                    .collect(),
                counts: None,
            });
        }
        if ask.words.is_empty() {
            return Ok(Found {
                total: query.count(&self.searcher)?,
                hits: self.first(&*query)?,
                counts: None,
            });
        }
        let (hits, total) = self
            .searcher
            .search(&query, &(best().order_by_score(), Count))?;
        Ok(Found {
            total,
            hits: scored(hits),
            counts: None,
        })
    }

    /// The keys of the results, read from the store.
    pub fn keys(&self, found: &Found) -> Result<Vec<String>> {
        let key = |(_, address): &(Option<f32>, DocAddress)| -> Result<String> {
            let document: TantivyDocument = self.searcher.doc(*address)?;
            Ok(document
                .get_first(self.key)
                .and_then(|value| value.as_str())
                .unwrap_or_default()
                .to_string())
        };
        found.hits.iter().map(key).collect()
    }

    fn query(&self, ask: &Ask) -> Result<Box<dyn Query>> {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        if !ask.words.is_empty() {
            let terms = terms_of(&mut self.analyzer.clone(), self.text, &ask.words);
            clauses.push((
                Occur::Must,
                match ask.matching.as_str() {
                    "all" => each(terms, Occur::Must),
                    "phrase" => Box::new(PhraseQuery::new(terms)),
                    _ => each(terms, Occur::Should),
                },
            ));
        }
        let alone = ask.words.is_empty();
        let mut narrow = |query: Box<dyn Query>| {
            clauses.push((
                Occur::Must,
                if alone {
                    query
                } else {
                    Box::new(ConstScoreQuery::new(query, 0.0))
                },
            ))
        };
        if let Some((field, value)) = &ask.filter {
            narrow(Box::new(TermQuery::new(
                Term::from_field_text(self.fields[field], value),
                IndexRecordOption::Basic,
            )));
        }
        if let Some((first, last)) = ask.days {
            let bound = |day| Bound::Included(Term::from_field_i64(self.fields[DAYS], day));
            narrow(Box::new(RangeQuery::new(bound(first), bound(last))));
        }
        Ok(match clauses.len() {
            0 => Box::new(AllQuery),
            1 => clauses.remove(0).1,
            _ => Box::new(BooleanQuery::new(clauses)),
        })
    }

    fn aggregations(&self, ask: &Ask) -> Result<Option<Aggregations>> {
        let wanted = match (&ask.facet, &ask.histogram) {
            (Some(field), _) => json!({ "counts": { "terms": { "field": field, "size": 50 } } }),
            (_, Some(field)) => {
                json!({ "counts": { "histogram": { "field": field, "interval": 1.0, "min_doc_count": 1 } } })
            }
            _ => return Ok(None),
        };
        Ok(Some(serde_json::from_value(wanted)?))
    }

    /// The first matches in the order of the index, without visiting the others.
    fn first(&self, query: &dyn Query) -> Result<Vec<(Option<f32>, DocAddress)>> {
        let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
        let mut hits = Vec::new();
        for (segment, reader) in self.searcher.segment_readers().iter().enumerate() {
            let mut scorer = weight.scorer(reader, 1.0)?;
            while scorer.doc() != TERMINATED && hits.len() < LIMIT {
                hits.push((None, DocAddress::new(segment as u32, scorer.doc())));
                scorer.advance();
            }
        }
        Ok(hits)
    }
}

fn scored(hits: Vec<(f32, DocAddress)>) -> Vec<(Option<f32>, DocAddress)> {
    hits.into_iter()
        .map(|(score, address)| (Some(score), address))
        .collect()
}

pub fn speed(job: &Job) -> Result<Value> {
    let (documents, index_seconds) = FilterIndex::write(job)?;
    let index = FilterIndex::open(job)?;
    let mut asked = Vec::new();
    for (kind, query) in job.queries()? {
        asked.push((kind, Ask::from_query(&query)?));
    }
    let totals: Vec<usize> = asked
        .iter()
        .map(|(_, ask)| Ok(index.search(ask)?.total))
        .collect::<Result<_>>()?;
    let seconds = job.number("querySeconds")?;
    let kinds = by_kind(asked);
    let ask = |ask: &Ask| -> Result<usize> {
        let found = index.search(ask)?;
        std::hint::black_box(index.keys(&found)?);
        Ok(found.total)
    };
    for (_, list) in &kinds {
        run_for(list, WARM_SECONDS.min(seconds) / kinds.len() as f64, &ask)?;
    }
    let mut measured = serde_json::Map::new();
    for (kind, list) in &kinds {
        measured.insert(kind.clone(), json!(measure(list, seconds, ask)?));
    }
    Ok(
        json!({ "documents": documents, "indexSeconds": index_seconds, "totals": totals, "kinds": measured }),
    )
}
