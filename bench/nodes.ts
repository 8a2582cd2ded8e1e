// Reads and searches over HTTP with two processes (`SVC_WORKERS=2`) compared with one, over the same 5,000 documents. One process sends the
// load, so on a machine with two cores it uses one of them. The two servers take turns.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { prose, seeded } from './support/corpus.ts';
import { requestsPerSecond, type Load } from './support/load.ts';
import { scaled } from './support/scale.ts';
import { memoryOf, startQuire, type BenchServer } from './support/server.ts';
import { compare, comparisons, figure, median, type Row, type Section } from './support/table.ts';

const DOCUMENTS = scaled(5000, 500);
const BATCH = 500;
const BYTES = 1000;
const ROUNDS = 5;
const SECONDS = scaled(4, 1);
const CLIENTS = 32;
const COLLECTION = 'nodes';

export async function benchNodes(folder: string): Promise<Section[]> {
  const [one, two] = [await start(join(folder, 'one.db'), 1), await start(join(folder, 'two.db'), 2)];
  try {
    const reads = await beside('reads (POST /v1/get)', one, two, { path: '/v1/get', body: (n) => ({ collection: COLLECTION, key: `k${n % DOCUMENTS}`, lang: 'en' }) });
    const searches = await beside('searches (POST /v1/fts, 3 words)', one, two, { path: '/v1/fts', body: searchOf(seeded(5)) });
    const memory = [memoryOf(one.pid).now, memoryOf(two.pid).now].map((bytes) => `${figure(bytes / 2 ** 20)} MiB`);
    return [comparisons(`Processes: 2 beside 1, ${figure(DOCUMENTS)} documents, ${CLIENTS} connections`, [reads, searches], [
      `Memory of the process that writes: ${memory.join(' alone, ')} with one more, which holds as much.`,
      'The load comes from one process; with two cores, the second server shares them with it.',
    ])];
  } finally {
    await Promise.all([one.stop(), two.stop()]);
  }
}

async function start(database: string, processes: number): Promise<BenchServer> {
  const server = await startQuire(database, { SVC_WORKERS: String(processes) });
  const random = seeded(3);
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, i) => ({ key: `k${from + i}`, lang: 'en', contentMd: prose(random, BYTES) }));
    await post(server, '/v1/add-batch', { collection: COLLECTION, documents });
  }
  while (processes > 1 && !(await (await fetch(`${server.url}/metrics`)).text()).includes(`svc_workers{state="ready"} ${processes}\n`)) await setTimeout(100);
  return server;
}

interface Requests {
  readonly path: string;
  readonly body: (n: number) => object;
}

async function beside(what: string, one: BenchServer, two: BenchServer, { path, body }: Requests): Promise<Row> {
  const load = (server: BenchServer): Load => ({ url: `${server.url}${path}`, clients: CLIENTS, seconds: SECONDS, method: 'POST', body: (n) => JSON.stringify(body(n)) });
  const [alone, together]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await requestsPerSecond(load(one)));
    together.push(await requestsPerSecond(load(two)));
  }
  return compare(`${what}, 2 processes`, median(together), '1 process', median(alone), '/s');
}

/** Words of all frequencies, as they occur in the texts. */
function searchOf(random: () => number): Requests['body'] {
  return () => ({ collection: COLLECTION, algorithm: 'bm25', query: [5, 50, 500].map((spread) => `w${10 + Math.floor(spread * random())}`).join(' '), limit: 10, fields: ['key'] });
}

async function post(server: BenchServer, path: string, value: object): Promise<void> {
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}
