// Filters, facets, ranges and sorts over metadata, compared with the same searches without them, in process and over
// HTTP, with 200,000 documents: our own service, Lucene 10, tantivy, SQLite and DuckDB. `filters-million` measures the
// same with a million.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeCollection } from './filters/collection.ts';
import { measurePeers } from './filters/peers.ts';
import { measureQuire } from './filters/quire.ts';
import { tablesOf } from './filters/tables.ts';
import { targetsOf } from './filters/targets.ts';
import { measureVectors } from './filters/vectors.ts';
import { CORPUS_HINT, realCorpus } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { figure, missing, type Section } from './support/table.ts';

export function benchFilters(folder: string): Promise<Section[]> {
  return bench(join(folder, 'filters'), Math.round(scaled(200_000, 2000)), 150);
}

/** A million documents; `npm run bench -- filters-million`. */
export function benchFiltersMillion(folder: string): Promise<Section[]> {
  return bench(join(folder, 'filters-million'), Math.round(scaled(1_000_000, 3000)), 100);
}

async function bench(here: string, documents: number, words: number): Promise<Section[]> {
  if ((await realCorpus()).length === 0)
    return [
      missing('Filters',
        `it needs the pages of MDN (docs-mdn/mdn-en.ndjson.gz and mdn-en-more.ndjson.gz): ${CORPUS_HINT}`),
    ];
  await mkdir(here);
  progress(`filters: writing ${figure(documents)} documents`);
  const collection = await writeCollection(here, documents, words);
  const quire = await measureQuire(here, collection);
  const vectors = await measureVectors(here, collection);
  const peers = await measurePeers(here, collection);
  await rm(here, { recursive: true });
  return [targetsOf(collection, quire, peers, vectors), ...tablesOf(collection, quire, peers), vectors.section];
}
