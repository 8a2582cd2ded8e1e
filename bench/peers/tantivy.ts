import { join } from 'node:path';
import { buildWithCargo, type Built } from '../support/cargo.ts';
import { startProgram } from '../support/server.ts';
import type { FilterPeer } from './filters/job.ts';
import { answerOf } from './in-child.ts';
import type { Peer } from './job.ts';

const SOURCES = join(import.meta.dirname, 'tantivy');

let built: Built | undefined;

export const tantivy: Peer = {
  name: 'tantivy 0.27',
  note:
    'English stemmer, BM25, memory-mapped, merged to one segment before the queries; indexes in one thread beside ' +
    'the one that reads; its tokenizer splits at all that is no letter or digit, and patterns give all documents ' +
    'the same score',
  missing: tantivyReason,
  run: (
    { mode, texts, queries, folder, stemming, stopWords, limit, indexSeconds, querySeconds, withoutTotals = false },
  ) =>
    answerOf(...commandOf(mode, {
      texts,
      queries,
      folder,
      stemming,
      stopWords,
      limit,
      indexSeconds,
      querySeconds,
      withoutTotals,
    })),
};

export const tantivyWithFilters: FilterPeer = {
  name: 'tantivy 0.27',
  note: 'each key a fast field that is indexed, too; filters are terms without a score, ranges read the fast field, ' +
    'facets and histograms are aggregations; merged to one segment; behind axum with a thread for each processor',
  missing: tantivyReason,
  run: (job) => answerOf(...commandOf('filters', { ...job })),
  serve: (job) => startProgram(...commandOf('serve', { ...job })),
};

/** Builds the program on the first call. */
function tantivyReason(): string | undefined {
  built ??= buildWithCargo(SOURCES, 'quire-bench-tantivy');
  return 'reason' in built ? built.reason : undefined;
}

function commandOf(mode: string, parameters: Readonly<Record<string, string | number | boolean>>): [string, string[]] {
  const reason = tantivyReason();
  if (reason !== undefined) throw new Error(reason);
  return [(built as { program: string }).program, [mode,
    ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`)]];
}
