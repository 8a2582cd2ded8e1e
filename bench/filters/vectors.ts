import { join } from 'node:path';
import { writeSynthetic } from '../fulltext/texts.ts';
import { type Call, type Called, callInProcess } from '../support/call-in-process.ts';
import { startDocsChild } from '../support/docs-child.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { figure, type Section } from '../support/table.ts';
import type { FilterCollection } from './collection.ts';
import { fill } from './quire.ts';
import { COLLECTION } from './requests.ts';

/** Embedded by `builtin`, whose model is included in the package. */
const DOCUMENTS = Math.round(scaled(20_000, 1000));
const WORDS = 100;
const SECONDS = scaled(2, 0.2);
const QUESTIONS = 100;
const ENV = { SVC_EMBEDDING_PROVIDER: 'builtin', SVC_EMBEDDING_QUEUE_SIZE: '1000000' };
const EMBED_SECONDS = 1800;

const FILTERS = {
  'no filter': () => ({}),
  '50 %': (n: number) => ({ filterMeta: { half: [String(n % 2)] } }),
  '5 %': (n: number) => ({ filterMeta: { twentieth: [String(n % 20)] } }),
  '0.1 %': (n: number) => ({ filterMeta: { thousandth: [String((n * 7) % Math.min(1000, DOCUMENTS))] } }),
} as const;
type Share = keyof typeof FILTERS;
const SHARES = Object.keys(FILTERS) as Share[];

const SEARCHES = {
  'vector, flat': (query: string) => ({ operation: 'searchVectors', input: { query, algorithm: 'flat' } }),
  'vector, hnsw': (query: string) => ({ operation: 'searchVectors', input: { query, algorithm: 'hnsw' } }),
  'hybrid, flat': (query: string) => ({ operation: 'searchHybrid', input: { query, vectorAlgorithm: 'flat' } }),
  'hybrid, hnsw': (query: string) => ({ operation: 'searchHybrid', input: { query, vectorAlgorithm: 'hnsw' } }),
} as const satisfies Record<string, (query: string) => Call>;
type Search = keyof typeof SEARCHES;

export interface VectorsMeasured {
  readonly section: Section;
  /** The largest ratio of a median with a filter to the median without. */
  readonly worstRatio: number;
  /** The lowest recall of a search with a filter, and the recall of the same search without. */
  readonly recall: { readonly filtered: number; readonly unfiltered: number };
}

/** Vector and hybrid searches, in process, with each filter and without. */
export async function measureVectors(folder: string, { questions }: FilterCollection): Promise<VectorsMeasured> {
  const database = join(folder, 'vectors.db');
  const texts = await writeSynthetic(join(folder, 'embedded.txt'), DOCUMENTS, WORDS);
  progress(`Quire: embedding ${figure(DOCUMENTS)} documents`);
  const server = await startDocsChild(database, ENV);
  await fill(server.url, texts.file);
  await embedded(server.url);
  await server.stop();
  progress('Quire: vectors and hybrid with filters');
  const queries = questions.filter(({ kind }) => kind === 'words').slice(0, QUESTIONS).map(({ ask }) =>
    ask.words!.join(' ')
  );
  const kinds: Record<string, Call[]> = {};
  for (const search of Object.keys(SEARCHES) as Search[]) {
    for (const share of SHARES)
      kinds[`${search}/${share}`] = queries.map((query, n) => callOf(search, share, query, n));
  }
  const called = await callInProcess(folder, {
    database,
    env: ENV,
    seconds: SECONDS,
    keys: true,
    until: callOf('vector, hnsw', 'no filter', queries[0]!, 0),
    kinds,
  });
  return { section: sectionOf(called), ...worstOf(called) };
}

function callOf(search: Search, share: Share, query: string, n: number): Call {
  const { operation, input } = SEARCHES[search](query);
  return { operation, input: { ...input, collection: COLLECTION, topK: 10, fields: ['key'], ...FILTERS[share](n) } };
}

async function embedded(url: string): Promise<void> {
  for (const end = performance.now() + EMBED_SECONDS * 1000; performance.now() < end;
    await new Promise((resolve) => setTimeout(resolve, 200)))
  {
    const { collections } = (await (await fetch(`${url}/v1/vector-stats`)).json()) as {
      collections?: Record<string, { embedded_documents: number }>;
    };
    if ((collections?.[COLLECTION]?.embedded_documents ?? 0) >= DOCUMENTS) return;
  }
  throw new Error(`${DOCUMENTS} documents were not embedded within ${EMBED_SECONDS} s`);
}

type All = Readonly<Record<string, Called>>;

function ratioOf(called: All, search: Search, share: Share): number {
  return called[`${search}/${share}`]!.p50 / called[`${search}/no filter`]!.p50;
}

/** How many of the exact ten a search found. */
function recallOf(called: All, search: Search, share: Share): number {
  const exact = called[`${search.replace('hnsw', 'flat')}/${share}`]!.found;
  const found = called[`${search}/${share}`]!.found;
  const wanted = exact.reduce((sum, keys) => sum + keys.length, 0);
  return wanted === 0
    ? 1
    : exact.reduce((sum, keys, i) => sum + keys.filter((key) => found[i]!.includes(key)).length, 0) / wanted;
}

function worstOf(called: All): Omit<VectorsMeasured, 'section'> {
  const searches = Object.keys(SEARCHES) as Search[];
  const filtered = SHARES.filter((share) => share !== 'no filter');
  const recalls = searches.flatMap((search) =>
    filtered.map((share) => ({
      filtered: recallOf(called, search, share),
      unfiltered: recallOf(called, search, 'no filter'),
    }))
  );
  return {
    worstRatio: Math.max(...searches.flatMap((search) => filtered.map((share) => ratioOf(called, search, share)))),
    recall: recalls.sort((a, b) => a.filtered - a.unfiltered - (b.filtered - b.unfiltered))[0]!,
  };
}

function sectionOf(called: All): Section {
  return {
    title: `Filters: searches by vectors and hybrid ones, in process: ${
      figure(DOCUMENTS)
    } documents embedded by \`builtin\` (256 dimensions, int8), best 10`,
    header: ['p50 in microseconds, times that without a filter, recall@10 of the exact ones', ...SHARES],
    rows: (Object.keys(SEARCHES) as Search[]).map((
      search,
    ) => [search,
      ...SHARES.map((share) =>
        `${figure(called[`${search}/${share}`]!.p50)}${
          share === 'no filter' ? '' : ` (${ratioOf(called, search, share).toFixed(2)}x)`
        }, ${recallOf(called, search, share).toFixed(3)}`
      )]
    ),
    notes: [
      'The service remembers the vectors of the queries. The recall of a hybrid search is beside the one whose ' +
      'vectors are compared exactly.',
    ],
  };
}
