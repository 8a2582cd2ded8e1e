import { startProgram } from '../support/server.ts';
import type { FilterPeer } from './filters/job.ts';
import { answerOf } from './in-child.ts';
import { luceneCommand, luceneReason } from './java.ts';
import type { Peer } from './job.ts';

/** Weight of the title relative to the text, the same as our own default. */
const TITLE_WEIGHT = 3;

export const lucene10: Peer = {
  name: 'Lucene 10',
  note: 'EnglishAnalyzer that keeps stop words, BM25, memory-mapped, merged to one segment before the queries, JVM ' +
    'warmed up, with the vector module of Java; its tokenizer keeps words with dots and underscores whole, and ' +
    'patterns give all documents the same score; two fields are ranked by CombinedFieldQuery with the title at ' +
    'weight 3',
  missing: luceneReason,
  run: (
    { mode, texts, queries, folder, stemming, stopWords, fields, limit, indexSeconds, querySeconds,
      withoutTotals = false },
  ) =>
    answerOf(...luceneCommand({
      mode,
      texts,
      queries,
      folder,
      stemming,
      stopWords,
      fields,
      limit,
      indexSeconds,
      querySeconds,
      withoutTotals,
      titleWeight: TITLE_WEIGHT,
    })),
};

export const lucene10WithFilters: FilterPeer = {
  name: 'Lucene 10',
  note: 'keyword fields with SortedSetDocValues, days and prices as points with SortedNumericDocValues ' +
    '(IndexOrDocValuesQuery), facets by StringValueFacetCounts, the default query cache, merged to one segment; ' +
    'behind com.sun.net.httpserver with a thread for each processor',
  missing: luceneReason,
  run: (job) => answerOf(...luceneCommand({ mode: 'filters', ...job })),
  serve: (job) => startProgram(...luceneCommand({ mode: 'serve', ...job })),
};
