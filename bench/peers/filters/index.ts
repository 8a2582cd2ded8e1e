import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf } from '../in-child.ts';
import { lucene10WithFilters } from '../lucene10.ts';
import { tantivyWithFilters } from '../tantivy.ts';
import type { FilterPeer } from './job.ts';

export { type Ask, type FilterAnswer, type FilterJob, type FilterPeer, toQuery } from './job.ts';

/** Heap limit of a JavaScript peer, in megabytes. */
const HEAP_MEGABYTES = 6000;

export const sqlite = inProcess('SQLite', 'sqlite',
  'node:sqlite: FTS5 beside an indexed table of (key, value, document), never synced, optimised and analysed; the ' +
    'total and the counts are statements of their own');
export const duckDb: FilterPeer = {
  ...inProcess('DuckDB', 'duckdb',
    'a table of the metadata in memory, one thread, prepared statements; it has no texts'),
  missing:
    () => (existsSync(join(import.meta.dirname, '..', '..', 'node_modules', '@duckdb', 'node-api'))
      ? undefined
      : 'is not installed: run `npm ci` in bench/'),
};

export const FILTER_PEERS: readonly FilterPeer[] = [lucene10WithFilters, tantivyWithFilters, sqlite, duckDb];

function inProcess(name: string, engine: string, note: string): FilterPeer {
  return {
    name,
    note,
    missing: () => undefined,
    run: (job) => {
      const file = join(job.folder, 'job.json');
      writeFileSync(file, JSON.stringify(job));
      return answerOf(process.execPath, [`--max-old-space-size=${HEAP_MEGABYTES}`,
        join(import.meta.dirname, 'child.ts'), engine, file]);
    },
  };
}
