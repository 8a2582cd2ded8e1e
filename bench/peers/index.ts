import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runEngine } from './in-child.ts';
import type { Peer } from './job.ts';
import { lucene10 } from './lucene10.ts';
import { tantivy } from './tantivy.ts';

export type { Answer, Job, Kind, Latency, Peer, Speed } from './job.ts';
export { lucene10, tantivy };

export const quire = inProcess('Quire', 'quire', 'in process, as the document service uses it; with positions');
export const forgetful = inProcess('Quire, words asked for the first time', 'quire-forgetful',
  'the same without remembering the documents of words between queries');
export const fts5 = inProcess('SQLite FTS5', 'fts5',
  'porter unicode61, without a copy of the texts, never synced, optimised before the queries; the total is a ' +
    'second statement');
export const miniSearch = fromNpm('MiniSearch', 'minisearch', 'minisearch',
  'has no positions; gives all matches, so the total costs nothing');
export const orama = fromNpm('Orama', 'orama', '@orama/orama',
  'has no positions; takes every word for a prefix; keeps the texts in its heap');
export const defaultMiniSearch = fromNpm('MiniSearch', 'minisearch-defaults', 'minisearch',
  'its defaults, over title and text');
export const defaultOrama = fromNpm('Orama', 'orama-defaults', '@orama/orama', 'its defaults, over title and text');
export const flexSearch = fromNpm('FlexSearch', 'flexsearch', 'flexsearch',
  'has neither positions nor BM25, and gives ten matches without a total');

function inProcess(name: string, engine: string, note: string): Peer {
  return { name, note, run: (job) => runEngine(engine, job) };
}

function fromNpm(name: string, engine: string, folder: string, note: string): Peer {
  const installed = join(import.meta.dirname, '..', 'node_modules', folder, 'package.json');
  return {
    ...inProcess(name, engine, note),
    missing: () => (existsSync(installed) ? undefined : 'is not installed: run `npm ci` in bench/'),
  };
}
