// Reads and searches over HTTP with a process for each core (`SVC_WORKERS=auto`) compared with one, and with a server of tantivy, over the same
// documents: 5,000, where a search is mostly its request, and 200,000. One process sends the load, so on a machine with two cores it uses one of
// them. The servers take turns.
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { FilterJob } from './peers/filters/index.ts';
import { tantivyWithFilters } from './peers/tantivy.ts';
import { prose, seeded } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { memoryOf, secondsOf, startQuire, type BenchServer } from './support/server.ts';
import { compare, comparisons, figure, median, type Row, type Section } from './support/table.ts';
import { prepare, sendsPerSecond, type Prepared } from './support/wire.ts';

const SIZES = [scaled(5000, 500), scaled(200_000, 1000)].map(Math.round);
const BATCH = 500;
const BYTES = 1000;
const ROUNDS = Math.round(scaled(3, 1));
const SECONDS = scaled(4, 1);
const CLIENTS = 32;
const QUERIES = 2000;
const COLLECTION = 'nodes';
const PROCESSES = availableParallelism();

export async function benchNodes(folder: string): Promise<Section[]> {
  const sections: Section[] = [];
  for (const documents of SIZES) sections.push(await measureWith(documents, join(folder, `nodes-${documents}`)));
  return sections;
}

async function measureWith(documents: number, folder: string): Promise<Section> {
  const texts = Array.from({ length: documents }, ((random) => () => prose(random, BYTES))(seeded(3)));
  const words = queries(seeded(5));
  await mkdir(folder);
  progress(`nodes: adding ${figure(documents)} documents`);
  await fill(join(folder, 'one'), texts);
  await cp(join(folder, 'one'), join(folder, 'all'), { recursive: true });
  const { server: peer, reason } = await startPeer(join(folder, 'peer'), texts, words);
  const [one, all] = [await start(join(folder, 'one'), '1'), await start(join(folder, 'all'), 'auto')];
  const servers = { one, all, peer };
  progress('nodes: reads and searches');
  try {
    const reads = await measure({ one, all }, () => texts.map((_, n) => prepare('/v1/get', { collection: COLLECTION, key: `k${n}`, lang: 'en' })));
    const found = await measure(servers, (name) => searches(words, name));
    const plain = await measure(servers, (name) => searches(words, name, { rerank: false }));
    const memory = [memoryOf(one.pid).now, memoryOf(all.pid).now].map((bytes) => `${figure(bytes / 2 ** 20)} MiB`);
    const beside = (what: string, { all: ours, one: alone, peer: theirs }: Rates): Row[] => [
      compare(`${what}, ${PROCESSES} processes`, ours, '1 process', alone, '/s'),
      ...(theirs === undefined ? [] : [compare(`${what}, ${PROCESSES} processes`, ours, 'tantivy 0.27 behind axum', theirs, '/s')]),
    ];
    return comparisons(`Processes: SVC_WORKERS=auto beside 1, ${figure(documents)} documents, ${CLIENTS} connections`, [
      ...beside('reads (POST /v1/get)', reads), ...beside('searches (POST /v1/fts, 3 words)', found), ...beside('the same with rerank: false', plain),
    ], [
      `Memory of the process that writes: ${memory.join(' alone, ')} beside others, which hold as much each.`,
      `The load comes from one process, which shares the ${PROCESSES} cores with the servers. Processor time of a request at ${PROCESSES} processes, server + load: ${[reads, found, plain].map(({ server, load }) => `${figure(server)} + ${figure(load)}`).join(', ')} microseconds, in the order of the table.`,
      reason === undefined ? 'Both search for any of three words with BM25 and return the keys of the ten best and the exact total; by default, Quire puts the best 100 into a better order, too. axum has a thread for each core.' : `tantivy was not measured: ${reason}.`,
    ]);
  } finally {
    await Promise.all([one, all, peer].map((server) => server?.stop()));
    await rm(folder, { recursive: true });
  }
}

/** Writes the documents with a server that ends, so that those that are measured start with the same indexes. */
async function fill(folder: string, texts: readonly string[]): Promise<void> {
  const server = await start(folder, '1');
  for (let from = 0; from < texts.length; from += BATCH) {
    const documents = texts.slice(from, from + BATCH).map((contentMd, i) => ({ key: `k${from + i}`, lang: 'en', contentMd }));
    await post(server, '/v1/add-batch', { collection: COLLECTION, documents });
  }
  await server.stop();
}

/** Resolves when all processes answer. */
async function start(folder: string, processes: string): Promise<BenchServer> {
  const server = await startQuire(join(folder, 'quire.db'), { SVC_WORKERS: processes });
  const isReady = async (): Promise<boolean> => (await (await fetch(`${server.url}/metrics`)).text()).includes(`svc_workers{state="ready"} ${PROCESSES}\n`);
  while (processes === 'auto' && PROCESSES > 1 && !await isReady()) await setTimeout(100);
  return server;
}

/** The server of tantivy over the same texts, or why there is none. */
async function startPeer(folder: string, texts: readonly string[], words: readonly string[][]): Promise<{ server?: BenchServer; reason?: string }> {
  const reason = tantivyWithFilters.missing();
  if (reason !== undefined) return { reason };
  await mkdir(folder);
  const job: FilterJob = { texts: join(folder, 'texts'), meta: join(folder, 'meta'), queries: join(folder, 'queries'), folder, querySeconds: 0.1 };
  await writeFile(job.texts, `${texts.join('\n')}\n`);
  await writeFile(job.meta, `kind\n${texts.map(() => 'text\n').join('')}`); // the program indexes at least one key
  await writeFile(job.queries, `any\twords=${words[0]!.join('+')}\n`);
  progress('tantivy: indexing');
  await tantivyWithFilters.run(job);
  return { server: await tantivyWithFilters.serve!(job) };
}

interface Servers {
  readonly one: BenchServer;
  readonly all: BenchServer;
  readonly peer?: BenchServer | undefined;
}

interface Rates {
  /** Requests a second of each server. */
  readonly one: number;
  readonly all: number;
  readonly peer: number | undefined;
  /** Microseconds of processor time of a request: of all processes of the server `all`, and of this process. */
  readonly server: number;
  readonly load: number;
}

async function measure(servers: Servers, requestsFor: (name: keyof Servers) => readonly Prepared[]): Promise<Rates> {
  const rates: Record<keyof Servers, number[]> = { one: [], all: [], peer: [] };
  let [server, load, answered] = [0, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { url, pid }] of Object.entries(servers).filter(([, each]) => each !== undefined) as [keyof Servers, BenchServer][]) {
      const [before, own] = [secondsOf(pid), process.cpuUsage()];
      const rate = await sendsPerSecond(url, requestsFor(name), CLIENTS, SECONDS);
      rates[name].push(rate);
      if (name !== 'all') continue;
      const { user, system } = process.cpuUsage(own);
      [server, load, answered] = [server + secondsOf(pid) - before, load + (user + system) / 1e6, answered + rate * SECONDS * WITH_WARM_UP];
    }
  }
  const microseconds = (seconds: number): number => (seconds * 1e6) / answered;
  return { one: median(rates.one), all: median(rates.all), peer: servers.peer && median(rates.peer), server: microseconds(server), load: microseconds(load) };
}

/** `send` warms up for a fifth of the time. */
const WITH_WARM_UP = 1.2;

/** Words of all frequencies, as they occur in the texts. */
function queries(random: () => number): string[][] {
  return Array.from({ length: QUERIES }, () => [5, 50, 500].map((spread) => `w${10 + Math.floor(spread * random())}`));
}

function searches(words: readonly string[][], name: keyof Servers, options: object = {}): Prepared[] {
  if (name === 'peer') return words.map((each) => prepare(`/search?words=${each.join('+')}&match=any`));
  return words.map((each) => prepare('/v1/fts', { collection: COLLECTION, algorithm: 'bm25', query: each.join(' '), limit: 10, fields: ['key'], ...options }));
}

async function post(server: BenchServer, path: string, value: object): Promise<void> {
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}
