// How well documents are found whose words differ from those of the question: by lexical search, vector search and
// hybrid search, with the models that are included in the package, through the operations of the service in this
// process. `QUIRE_MEANING_MODELS` names other models than the default: `static-en-256`, `hashed-ngrams`, `minilm-l6-v2`
// (comma-separated; the last takes an hour on MDN). The rows with the encoder's rerank compute its vectors as they are
// needed, and wait for all of them: about ten minutes on two cores.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../src/operations/index.ts';
import type { Rankings } from '../relevance/quire.ts';
import { CORPUS_HINT } from '../support/corpus.ts';
import { openService, type ServiceInProcess } from '../support/docs-service.ts';
import { progress } from '../support/progress.ts';
import { missing, type Section } from '../support/table.ts';
import { type Collection, collections } from './sets.ts';

const CALLER: Caller = { protocol: 'http', requestId: 'bench' };
const BATCH = 200;
/** How long a search waits for the encoder: enough for all vectors that it needs. */
const BUDGET = '20s';
const DEPTH = 10;
/** Milliseconds between two checks of what is embedded. */
const LOOK = 200;
const MODELS = (process.env['QUIRE_MEANING_MODELS'] ?? 'static-en-256').split(',');

/** Kinds of search; those without a vector operation are measured once. */
const WAYS = {
  'words': { operation: 'searchFullText', input: {}, vectors: false },
  'words, bm25': { operation: 'searchFullText', input: { algorithm: 'bm25' }, vectors: false },
  'vectors': { operation: 'searchVectors', input: {}, vectors: true },
  'hybrid': { operation: 'searchHybrid', input: {}, vectors: true },
  'hybrid, alpha 0.5': { operation: 'searchHybrid', input: { strategy: 'alpha', alpha: 0.5 }, vectors: true },
  'vectors, encoder': { operation: 'searchVectors', input: { rerank: 'encoder' }, vectors: true },
  'hybrid, encoder': { operation: 'searchHybrid', input: { rerank: 'encoder' }, vectors: true },
  'hybrid, rrf': { operation: 'searchHybrid', input: { strategy: 'rrf' }, vectors: true },
} as const;
type Way = keyof typeof WAYS;

export async function benchMeaningQuality(folder: string): Promise<Section[]> {
  const found = await collections();
  if (found.length === 0) return [missing('Search by meaning', `it needs the public texts: ${CORPUS_HINT}`)];
  const cells = new Map<string, string[]>();
  const put = (row: string, value: string): void => void cells.set(row, [...cells.get(row) ?? [], value]);
  const notes: string[] = [];
  for (const collection of found) {
    for (const [i, model] of MODELS.entries()) {
      progress(`${collection.name}: ${model}`);
      const database = join(folder, `meaning-${collection.name}-${i}.db`);
      const service = await openService(database, settingsOf(model));
      const { seconds, passages } = await fill(service, collection);
      notes.push(
        `${collection.name}, ${model}: ${passages.toLocaleString('en-US')} passages; written and embedded in ${
          seconds.toFixed(1)
        } s.`,
      );
      for (const way of Object.keys(WAYS) as Way[]) {
        if (!WAYS[way].vectors && i > 0) continue;
        for (const set of collection.sets)
          put(WAYS[way].vectors ? `${way}: ${model}` : way,
            set.quality(await ask(service, collection.name, way, set.queries)).toFixed(3));
      }
      await service.stop();
      await rm(database, { force: true });
    }
  }
  const sets = found.flatMap((collection) => collection.sets);
  return [{
    title: 'Search by meaning',
    header: ['', ...sets.map(({ name, measure, queries }) => `${name} (${queries.length}), ${measure}`)],
    rows: [...cells].map(([row, values]) => [row, ...values]),
    notes,
  }];
}

function settingsOf(model: string): Record<string, string> {
  return {
    SVC_EMBEDDING_PROVIDER: model === 'minilm-l6-v2' ? 'local' : 'builtin',
    SVC_EMBEDDING_MODEL: model,
    SVC_EMBEDDING_QUEUE_SIZE: '1000000',
    SVC_EMBEDDING_RERANK_BUDGET: BUDGET,
  };
}

async function fill({ invoke }: ServiceInProcess,
  { name, documents }: Collection): Promise<{ seconds: number; passages: number }>
{
  const started = performance.now();
  for (let from = 0; from < documents.length; from += BATCH) {
    const batch = documents.slice(from, from + BATCH).map(({ id, title, text }) => ({
      key: id,
      lang: 'en',
      contentMd: text,
      ...(title !== '' && { meta: { title: [title] } }),
    }));
    await invoke('addDocuments', { collection: name, documents: batch }, CALLER);
  }
  for (;;) {
    const { value } = await invoke('getVectorStats', {}, CALLER);
    const stats = value.collections[name];
    if (stats !== undefined && stats.embedded_documents + stats.failed_documents >= stats.total_documents)
      return { seconds: (performance.now() - started) / 1000, passages: stats.total_chunks };
    await sleep(LOOK);
  }
}

async function ask({ invoke }: ServiceInProcess, collection: string, way: Way,
  queries: readonly { readonly id: string; readonly text: string }[]): Promise<Rankings>
{
  const { operation, input } = WAYS[way];
  const rankings = new Map<string, string[]>();
  const count = operation === 'searchFullText' ? { limit: DEPTH, mode: 'simple' } : { topK: DEPTH };
  for (const { id, text } of queries) {
    const { value } = await invoke(operation, { collection, query: text, ...count, ...input }, CALLER);
    rankings.set(id, (value as { results: { document: { key: string } }[] }).results.map(({ document }) =>
      document.key
    ));
  }
  return rankings;
}
