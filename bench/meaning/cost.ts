// What search by meaning costs: embedding on one core, importing with it beside without, and memory for each passage.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChunker, embeddedText } from '../../src/docs/embeddings/chunker.ts';
import { StaticProvider } from '../../src/embedding/builtin/static-provider.ts';
import { knownItems, type Page } from '../relevance/known-items.ts';
import { clientOf } from '../support/client.ts';
import { CORPUS_HINT } from '../support/corpus.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { memoryOf } from '../support/server.ts';
import { figure, missing, type Section } from '../support/table.ts';
import { allEmbedded, importTexts, startEmbedding, untilFound } from './server.ts';

/** Pages whose passages are embedded, and how often: the best time counts. */
const PAGES = 3000;
const ROUNDS = 5;
const COLLECTION = 'mdn';
/** Milliseconds in which the server caches the tokens of the pages after the first search. */
const SETTLE_MS = 10_000;
/** The weights of the model, which do not count. */
const WEIGHTS_BYTES = 8.2e6;
const TARGETS = { megabytes: 20, importRatio: 1.25, lag: 5, bytes: 300 } as const;

export async function benchMeaningCost(folder: string): Promise<Section[]> {
  const known = await knownItems();
  if (known === undefined) return [missing('Search by meaning: cost', `it needs the folder docs-mdn: ${CORPUS_HINT}`)];
  const pages = known.pages.slice(0, scaled(known.pages.length, 300));
  progress('cost: embedding');
  const megabytes = await embeddingSpeed(pages.slice(0, PAGES));
  const [off, on] = [join(folder, 'meaning-off.db'), join(folder, 'meaning-on.db')];
  progress('cost: import without vectors');
  const without = await measureImport(off, 'none', pages);
  progress('cost: import with vectors');
  const withVectors = await measureImport(on, 'builtin', pages);
  const ratio = withVectors.seconds / without.seconds;
  const bytes = withVectors.vectorBytes / withVectors.passages;
  const growth = (withVectors.memory - without.memory - WEIGHTS_BYTES) / withVectors.passages;
  const row = (what: string, measured: string, target: string,
    isMet: boolean): string[] => [what, measured, target, isMet ? 'yes' : 'no'];
  return [{
    title: `Search by meaning: what it costs, ${pages.length.toLocaleString('en-US')} pages of MDN, ${
      withVectors.passages.toLocaleString('en-US')
    } passages`,
    header: ['what', 'measured', 'target', 'met'],
    rows: [
      row('embedding on one core, MB of text a second', figure(megabytes), `at least ${TARGETS.megabytes}`,
        megabytes >= TARGETS.megabytes),
      row('import over HTTP with vectors beside without', `${ratio.toFixed(2)}x`, `at most ${TARGETS.importRatio}x`,
        ratio <= TARGETS.importRatio),
      row('all vectors there after the last response, s', figure(withVectors.lag), `at most ${TARGETS.lag}`,
        withVectors.lag <= TARGETS.lag),
      row('memory of the index for each passage, bytes', figure(bytes), `at most ${TARGETS.bytes}`,
        bytes <= TARGETS.bytes),
      ['growth of the process for each passage, weights aside, bytes', figure(growth), '', ''],
    ],
    notes: [
      `Embedding: the texts of passages, tokenizing included, best of ${ROUNDS} rounds. Import: ${
        figure(without.seconds)
      } s without vectors.`,
      'Memory: as `/v1/stats` says; and of the process after a restart and a vector search, with the threads that ' +
      'scan and the cached tokens of the pages, beside the same without vectors.',
    ],
  }];
}

/** Megabytes of passages that are embedded in a second, by this thread. */
export async function embeddingSpeed(pages: readonly Page[]): Promise<number> {
  const provider = new StaticProvider();
  const chunker = createChunker({ chunkEnabled: true, chunkMode: undefined, chunkSize: undefined },
    () => provider.passages);
  const texts = pages.flatMap(({ id, title, text }) =>
    chunker.chunksOf({ key: id, meta: { title: [title] }, contentMd: text }).map(embeddedText)
  );
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    for (let i = 0; i < texts.length; i += provider.maxBatch)
      await provider.embed(texts.slice(i, i + provider.maxBatch), 'document');
    best = Math.min(best, performance.now() - begun);
  }
  await provider.close();
  return bytes / 1e3 / best;
}

interface Import {
  readonly seconds: number;
  /** Seconds from the last response until all vectors are there. */
  readonly lag: number;
  readonly passages: number;
  /** Bytes of the vector index. */
  readonly vectorBytes: number;
  /** Bytes of the process after a restart and a search. */
  readonly memory: number;
}

async function measureImport(database: string, provider: 'builtin' | 'none', pages: readonly Page[]): Promise<Import> {
  const first = await startEmbedding(database, provider);
  const seconds = await importTexts(first.url, COLLECTION, pages);
  const begun = performance.now();
  const passages = provider === 'none' ? 0 : (await allEmbedded(first.url, COLLECTION)).passages;
  const lag = (performance.now() - begun) / 1000;
  const stats = await (await fetch(`${first.url}/v1/stats`)).json() as {
    collections: { name: string; indexBytes: { vectors?: number } }[];
  };
  await first.stop();
  const vectorBytes = stats.collections.find(({ name }) => name === COLLECTION)?.indexBytes.vectors ?? 0;
  return { seconds, lag, passages, vectorBytes, memory: await memoryAfterRestart(database, provider) };
}

async function memoryAfterRestart(database: string, provider: 'builtin' | 'none'): Promise<number> {
  const server = await startEmbedding(database, provider);
  const client = clientOf(server.url);
  await client.post('/v1/fts', { collection: COLLECTION, query: 'how to begin', limit: 1 });
  if (provider === 'builtin') await untilFound(client, COLLECTION);
  await sleep(SETTLE_MS);
  const { now } = memoryOf(server.pid);
  client.close();
  await server.stop();
  return now;
}
