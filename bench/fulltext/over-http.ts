import { join } from 'node:path';
import type { Kind } from '../peers/index.ts';
import { latencyOf } from '../peers/latencies.ts';
import type { Asked } from '../peers/queries-file.ts';
import { type Client, clientOf, type Found } from '../support/client.ts';
import { linesOf } from '../support/corpus.ts';
import { requestsPerSecond } from '../support/load.ts';
import { progress } from '../support/progress.ts';
import { startQuire } from '../support/server.ts';
import { figure, type Section } from '../support/table.ts';
import type { Texts } from './texts.ts';

export const COLLECTION = 'bench';
const BATCH = 500;
const CLIENTS = 16;

/** The bodies for `/v1/fts`, by kind of query. */
const REQUESTS: Readonly<Partial<Record<Kind, (words: readonly string[]) => object>>> = {
  term: (words) => ({ mode: 'simple', query: words.join(' ') }),
  or: (words) => ({ mode: 'simple', query: words.join(' ') }),
  and: (words) => ({ mode: 'boolean', query: words.join(' AND ') }),
  phrase: (words) => ({ mode: 'phrase', query: `"${words.join(' ')}"` }),
  prefix: ([start]) => ({ mode: 'wildcard', query: `${start!}*` }),
  infix: ([part]) => ({ mode: 'wildcard', query: `*${part!}*` }),
  fuzzy: (words) => ({ mode: 'simple', fuzzy: 1, query: words.join(' ') }),
};

/** Adds the documents of a file, with the line number as key, and waits until they can be found. */
export async function fill(client: Client, file: string): Promise<void> {
  let documents: object[] = [];
  let line = 0;
  const add = () => client.post('/v1/add-batch', { collection: COLLECTION, documents });
  for await (const contentMd of linesOf(file)) {
    documents.push({ key: `page-${line++}`, lang: 'en', contentMd });
    if (documents.length < BATCH) continue;
    await add();
    documents = [];
  }
  if (documents.length > 0) await add();
}

export function searchOf(kind: Kind, words: readonly string[]): object {
  return { collection: COLLECTION, algorithm: 'bm25', limit: 10, fields: ['key'], ...REQUESTS[kind]!(words) };
}

/** Searches on a server with the texts, by one client that waits for each response, and by several. */
export async function benchOverHttp(folder: string, texts: Texts, queries: readonly Asked[],
  seconds: number): Promise<Section>
{
  progress('Quire over HTTP: filling');
  const server = await startQuire(join(folder, 'fulltext-http.db'));
  const client = clientOf(server.url);
  await fill(client, texts.file);
  const rows: string[][] = [];
  for (const kind of Object.keys(REQUESTS) as Kind[]) {
    progress(`Quire over HTTP: ${kind}`);
    const bodies = queries.filter((query) => query.kind === kind).map(({ words }) => searchOf(kind, words));
    await oneClient(client, bodies, seconds / 2);
    const { perSecond, p50, p95, p99 } = latencyOf(await oneClient(client, bodies, seconds));
    const texts = bodies.map((body) => JSON.stringify(body));
    const many = await requestsPerSecond({
      url: `${server.url}/v1/fts`,
      clients: CLIENTS,
      seconds: Math.max(1, seconds),
      method: 'POST',
      body: (n) => texts[n % texts.length]!,
    });
    rows.push([kind, figure(perSecond), `${[p50, p95, p99].map(figure).join(' / ')}`, figure(many)]);
  }
  client.close();
  await server.stop();
  return {
    title: `Full-text search over HTTP, POST /v1/fts, MDN: ${
      texts.documents.toLocaleString('en-US')
    } documents, best 10, keys only`,
    header: ['query', 'requests a second, 1 client', 'p50 / p95 / p99 in microseconds',
      `requests a second, ${CLIENTS} clients`],
    rows,
    notes: ['The clients share the cores with the server.'],
  };
}

/** Times in milliseconds. */
async function oneClient(client: Client, bodies: readonly object[], seconds: number): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    const begun = performance.now();
    await client.post<Found>('/v1/fts', bodies[times.length % bodies.length]!);
    times.push(performance.now() - begun);
  }
  return times;
}
