// A document service over HTTP that embeds with the models of the package.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, clientOf } from '../support/client.ts';
import { type BenchServer, startQuire } from '../support/server.ts';

const BATCH = 200;
/** Requests that are sent at once. */
const IN_FLIGHT = 4;
/** Milliseconds between two checks of what is embedded. */
const LOOK = 50;
/** With a full queue, writes would wait for the embedding of others. */
const QUEUE = 1_000_000;

export interface Text {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface Embedded {
  readonly documents: number;
  readonly passages: number;
}

/** Starts the service with the provider `builtin`, or with `none`. */
export function startEmbedding(database: string, provider: 'builtin' | 'none',
  env: Readonly<Record<string, string>> = {}): Promise<BenchServer>
{
  return startQuire(database, { SVC_EMBEDDING_PROVIDER: provider, SVC_EMBEDDING_QUEUE_SIZE: String(QUEUE), ...env });
}

/**
 * Writes documents in batches; returns the seconds until the last response. The requests are prepared before the clock
 * starts.
 */
export async function importTexts(url: string, collection: string, texts: readonly Text[]): Promise<number> {
  const bodies: object[] = [];
  for (let from = 0; from < texts.length; from += BATCH) {
    bodies.push({
      collection,
      documents: texts.slice(from, from + BATCH).map(({ id, title, text }) => ({
        key: id,
        lang: 'en',
        contentMd: text,
        ...(title !== '' && { meta: { title: [title] } }),
      })),
    });
  }
  const client = clientOf(url);
  const started = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
    while (next < bodies.length) await client.post('/v1/add-batch', bodies[next++]!);
  }));
  const seconds = (performance.now() - started) / 1000;
  client.close();
  return seconds;
}

/** Resolves when all documents of a collection have their vectors. */
export async function allEmbedded(url: string, collection: string): Promise<Embedded> {
  for (;;) {
    const { collections } = await (await fetch(`${url}/v1/vector-stats`)).json() as {
      collections: Record<string,
        { total_documents: number; embedded_documents: number; failed_documents: number; total_chunks: number }>;
    };
    const stats = collections[collection];
    if (stats !== undefined && stats.embedded_documents + stats.failed_documents >= stats.total_documents)
      return { documents: stats.embedded_documents, passages: stats.total_chunks };
    await sleep(LOOK);
  }
}

/** Resolves when a search finds something by its vector, so that the vectors are loaded. */
export async function untilFound(client: Client, collection: string): Promise<void> {
  for (;;) {
    try {
      const { results } = await client.post<{ results: unknown[] }>('/v1/vector-search', {
        collection,
        query: 'how to begin',
        topK: 1,
      });
      if (results.length > 0) return;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('index_loading')) throw error;
    }
    await sleep(LOOK);
  }
}
