// Latency of searches over HTTP by one client, when each question is asked once: on the pages of MDN, and on 200,000
// documents of 1 KB by the graph, whose results are compared with those of an exact search.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSynthetic } from '../fulltext/texts.ts';
import { knownItems, type QueryForm } from '../relevance/known-items.ts';
import { type Client, clientOf, type Found } from '../support/client.ts';
import { CORPUS_HINT, linesOf, seeded } from '../support/corpus.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { figure, missing, type Section } from '../support/table.ts';
import { allEmbedded, importTexts, startEmbedding, type Text, untilFound } from './server.ts';
import { questionTexts } from './sets.ts';

const KINDS = { fts: '/v1/fts', vector: '/v1/vector-search', hybrid: '/v1/hybrid-search' } as const;
type Kind = keyof typeof KINDS;
/** Queries of several words; the others are names. */
const FORMS: ReadonlySet<QueryForm> = new Set(['title', 'subject', 'path', 'heading', 'link']);
/** Questions before the clock starts, so that the functions are compiled. */
const WARM_UP = 100;
/** Milliseconds in which the server caches the tokens of the pages after the first search. */
const SETTLE_MS = 10_000;
/** Documents of 1 KB, and the words of one. */
const SYNTHETIC = scaled(200_000, 2000);
const WORDS = 145;
/** Questions whose results by the graph are compared with exact ones. */
const COMPARED = 100;
const TARGETS = { mdn: 3, synthetic: 10, recall: 0.98 } as const;
const SEED = 20_261_124;

export async function benchMeaningLatency(folder: string): Promise<Section[]> {
  const known = await knownItems();
  if (known === undefined)
    return [missing('Search by meaning over HTTP', `it needs the folder docs-mdn: ${CORPUS_HINT}`)];
  const questions = shuffled([...questionTexts(),
    ...known.items.filter(({ form }) => FORMS.has(form)).map(({ query }) => query)]);
  return [
    await latencyOfPages(join(folder, 'meaning-latency.db'), known.pages.slice(0, scaled(known.pages.length, 300)),
      questions),
    await latencyOfSynthetic(folder, questions),
  ];
}

/** The database is filled unless `fill` is false. */
export async function latencyOfPages(database: string, pages: readonly Text[], questions: readonly string[],
  fill = true): Promise<Section>
{
  progress('latency: writing the pages of MDN');
  const server = await startEmbedding(database, 'builtin');
  if (fill) await importTexts(server.url, 'mdn', pages);
  const { passages } = await allEmbedded(server.url, 'mdn');
  progress('latency: asking');
  const client = clientOf(server.url);
  await untilFound(client, 'mdn');
  await sleep(SETTLE_MS);
  const third = Math.floor(questions.length / 3);
  const times = await timesOf(client, 'mdn', questions.slice(0, third));
  const byScan = await timesOf(client, 'mdn', questions.slice(third, 2 * third), 'flat');
  await untilGraph(client, 'mdn');
  const byGraph = await timesOf(client, 'mdn', questions.slice(2 * third), 'hnsw');
  client.close();
  await server.stop();
  const named = (way: string, of: Readonly<Record<Kind, readonly number[]>>): string[][] =>
    rowsOf(of, TARGETS.mdn, quantile(of.hybrid, 0.5)).slice(1).map(([kind, ...row]) => [`${kind}, ${way}`, ...row]);
  return {
    title: `Search by meaning over HTTP: ${pages.length.toLocaleString('en-US')} pages of MDN, ${
      passages.toLocaleString('en-US')
    } passages, best 10, keys only, 1 client`,
    header: ['search', 'p50 / p95 in ms', 'target of p50', 'met'],
    rows: [...rowsOf(times, TARGETS.mdn, quantile(times.hybrid, 0.5)), ...named('by an exact scan', byScan),
      ...named('by the graph', byGraph)],
    notes: [
      `${
        questions.length.toLocaleString('en-US')
      } questions, each asked once, a third of them by the default, an exact scan and the graph, a third of those with each kind of search, the first ${WARM_UP} of each third not timed; the client shares the cores with the server.`,
    ],
  };
}

/** As `latencyOfPages`. */
export async function latencyOfSynthetic(folder: string, questions: readonly string[], fill = true): Promise<Section> {
  const server = await startEmbedding(join(folder, 'meaning-synthetic.db'), 'builtin', {
    SVC_VECTOR_DEFAULT_ALGORITHM: 'hnsw',
  });
  if (fill) {
    progress(`latency: writing ${SYNTHETIC.toLocaleString('en-US')} documents of 1 KB`);
    const { file } = await writeSynthetic(join(folder, 'meaning-synthetic.txt'), SYNTHETIC, WORDS);
    const texts: Text[] = [];
    for await (const line of linesOf(file)) texts.push({ id: `page-${texts.length}`, title: '', text: line });
    await importTexts(server.url, 'texts', texts);
  }
  const { passages, documents } = await allEmbedded(server.url, 'texts');
  const client = clientOf(server.url);
  await untilFound(client, 'texts');
  progress('latency: building the graph');
  await untilGraph(client, 'texts');
  progress('latency: asking');
  const recall = await recallOfGraph(client, 'texts', questions.slice(0, COMPARED));
  const times = await timesOf(client, 'texts', questions.slice(COMPARED));
  client.close();
  await server.stop();
  const p50 = quantile(times.hybrid, 0.5);
  return {
    title: `Search by meaning over HTTP: ${documents.toLocaleString('en-US')} documents of 1 KB, ${
      passages.toLocaleString('en-US')
    } passages, by the graph, 1 client`,
    header: ['search', 'p50 / p95 in ms', 'target of p50', 'met'],
    rows: [...rowsOf(times, TARGETS.synthetic, p50), ['recall@10 of the graph', recall.toFixed(3),
      `at least ${TARGETS.recall}`, recall >= TARGETS.recall ? 'yes' : 'no']],
    notes: [`Recall of ${COMPARED} questions beside the exact search, passage by passage.`],
  };
}

function rowsOf(times: Readonly<Record<Kind, readonly number[]>>, target: number, p50: number): string[][] {
  return (Object.keys(KINDS) as Kind[]).map((
    kind,
  ) => [kind, [0.5, 0.95].map((share) => figure(quantile(times[kind], share))).join(' / '),
    ...(kind === 'hybrid' ? [`at most ${target}`, p50 <= target ? 'yes' : 'no'] : ['', ''])]
  );
}

/** Milliseconds of each kind of search; kinds take turns, and no question is asked twice. */
async function timesOf(client: Client, collection: string, questions: readonly string[],
  vectorAlgorithm?: string): Promise<Record<Kind, number[]>>
{
  const kinds = Object.keys(KINDS) as Kind[];
  const times: Record<Kind, number[]> = { fts: [], vector: [], hybrid: [] };
  for (const [i, query] of questions.entries()) {
    const kind = kinds[i % kinds.length]!;
    const algorithm = vectorAlgorithm &&
      { vector: { algorithm: vectorAlgorithm }, hybrid: { vectorAlgorithm }, fts: {} }[kind];
    const body = {
      collection,
      query,
      includeContent: false,
      ...(kind === 'fts' ? { limit: 10 } : { topK: 10 }),
      ...algorithm,
    };
    const begun = performance.now();
    await client.post<Found>(KINDS[kind], body);
    if (i >= WARM_UP) times[kind].push(performance.now() - begun);
  }
  return times;
}

/** Resolves when searches use the graph, which is built after it was first asked for. */
async function untilGraph(client: Client, collection: string): Promise<void> {
  for (;;) {
    const { algorithm } = await client.post<{ algorithm: string }>('/v1/vector-search', {
      collection,
      query: 'how to begin',
      topK: 1,
      algorithm: 'hnsw',
    });
    if (algorithm === 'hnsw') return;
    await sleep(500);
  }
}

async function recallOfGraph(client: Client, collection: string, questions: readonly string[]): Promise<number> {
  const passages = async (query: string, algorithm: string): Promise<string[]> => {
    const { results } = await client.post<{ results: { document: { key: string }; chunkIndex: number }[] }>(
      '/v1/vector-search',
      { collection, query, topK: 10, algorithm, retrievalMode: 'chunk', includeContent: false },
    );
    return results.map(({ document: { key }, chunkIndex }) => `${key} ${chunkIndex}`);
  };
  let found = 0;
  let all = 0;
  for (const question of questions) {
    const exact = await passages(question, 'flat');
    const near = new Set(await passages(question, 'hnsw'));
    found += exact.filter((name) => near.has(name)).length;
    all += exact.length;
  }
  return found / all;
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;
}

function shuffled(texts: readonly string[]): string[] {
  const random = seeded(SEED);
  return [...new Set(texts)].map((text) => ({ text, at: random() })).sort((a, b) => a.at - b.at).map(({ text }) =>
    text
  );
}
