// Reads and searches over HTTP with a process for each core (`SVC_WORKERS=auto`) compared with one, and with a server
// of tantivy, over the same documents: 5,000, where a search is mostly its request, and 200,000. One thread sends the
// load, and shares the cores with the servers. The servers take turns.
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { FilterJob } from './peers/filters/index.ts';
import { tantivyWithFilters } from './peers/tantivy.ts';
import { prose, seeded } from './support/corpus.ts';
import { LightLoad, lightLoadMissing } from './support/light-load.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { type BenchServer, memoryOf, secondsOf, startQuire } from './support/server.ts';
import { compare, comparisons, figure, median, type Row, type Section } from './support/table.ts';
import { prepare, type Prepared } from './support/wire.ts';

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
  progress('nodes: reads and searches');
  try {
    const loadOf = (what: string, requests: readonly Prepared[]): LightLoad =>
      new LightLoad(requests, join(folder, `load-${what}`));
    const reads = loadOf('reads', texts.map((_, n) =>
      prepare('/v1/get', { collection: COLLECTION, key: `k${n}`, lang: 'en' })
    ));
    const [found, plain, theirs] = [loadOf('searches', searches(words)),
      loadOf('plain', searches(words, { rerank: false })), loadOf('peer', peerSearches(words))];
    const rates = {
      reads: await measure({
        one: { server: one, load: reads },
        all: { server: all, load: reads },
        equal: { server: all, load: reads, connections: PROCESSES * CLIENTS },
      }),
      found: await measure({
        one: { server: one, load: found },
        all: { server: all, load: found },
        ...(peer && { peer: { server: peer, load: theirs } }),
      }),
      plain: await measure({
        one: { server: one, load: plain },
        all: { server: all, load: plain },
        ...(peer && { peer: { server: peer, load: theirs } }),
      }),
    };
    return comparisons(`Processes: SVC_WORKERS=auto beside 1, ${figure(documents)} documents, ${CLIENTS} connections`, [
      ...rows('reads (POST /v1/get)', rates.reads),
      ...rows('searches (POST /v1/fts, 3 words)', rates.found),
      ...rows('the same with rerank: false', rates.plain),
    ], notes({ one, all }, Object.values(rates), reason));
  } finally {
    await Promise.all([one, all, peer].map((server) => server?.stop()));
    await rm(folder, { recursive: true });
  }
}

function rows(what: string, { one, all, equal, peer }: Measured): Row[] {
  const ours = `${what}, ${PROCESSES} processes`;
  return [compare(ours, all.perSecond, '1 process', one.perSecond, '/s'),
    ...(equal === undefined
      ? []
      : [compare(`${ours}, ${CLIENTS} connections for each`, equal.perSecond, '1 process', one.perSecond, '/s')]),
    ...(peer === undefined ? [] : [compare(ours, all.perSecond, 'tantivy 0.27 behind axum', peer.perSecond, '/s')])];
}

function notes({ one, all }: { readonly one: BenchServer; readonly all: BenchServer }, measured: readonly Measured[],
  reason: string | undefined): string[]
{
  const memory = [memoryOf(one.pid).now, memoryOf(all.pid).now].map((bytes) => `${figure(bytes / 2 ** 20)} MiB`);
  const costs = (name: 'one' | 'all'): string =>
    measured.map(({ [name]: { server, load } }) => `${figure(server)} + ${figure(load)}`).join(', ');
  const missing = lightLoadMissing();
  return [`Memory of the process that writes: ${memory.join(' alone, ')} beside others, which hold as much each.`,
    `The load comes from one thread, which shares the ${PROCESSES} cores with the servers${
      missing === undefined ? ' and does not interrupt them' : `, and from a program of Node: ${missing}`
    }. Processor time of a request, server + load, in the order of the table: ${
      costs('one')
    } microseconds with 1 process, ${costs('all')} with ${PROCESSES}.`,
    reason === undefined
      ? 'Both search for any of three words with BM25 and return the keys of the ten best and the exact total; by ' +
        'default, Quire puts the best 100 into a better order, too. axum has a thread for each core.'
      : `tantivy was not measured: ${reason}.`];
}

/** Writes the documents with a server that ends, so that those that are measured start with the same indexes. */
async function fill(folder: string, texts: readonly string[]): Promise<void> {
  const server = await start(folder, '1');
  for (let from = 0; from < texts.length; from += BATCH) {
    const documents = texts.slice(from, from + BATCH).map((contentMd, i) => ({
      key: `k${from + i}`,
      lang: 'en',
      contentMd,
    }));
    await post(server, '/v1/add-batch', { collection: COLLECTION, documents });
  }
  await server.stop();
}

/** Resolves when all processes answer. */
async function start(folder: string, processes: string): Promise<BenchServer> {
  const server = await startQuire(join(folder, 'quire.db'), { SVC_WORKERS: processes });
  const isReady = async (): Promise<boolean> =>
    (await (await fetch(`${server.url}/metrics`)).text()).includes(`svc_workers{state="ready"} ${PROCESSES}\n`);
  while (processes === 'auto' && PROCESSES > 1 && !await isReady()) await setTimeout(100);
  return server;
}

/** The server of tantivy over the same texts, or why there is none. */
async function startPeer(folder: string, texts: readonly string[],
  words: readonly string[][]): Promise<{ server?: BenchServer; reason?: string }>
{
  const reason = tantivyWithFilters.missing();
  if (reason !== undefined) return { reason };
  await mkdir(folder);
  const job: FilterJob = {
    texts: join(folder, 'texts'),
    meta: join(folder, 'meta'),
    queries: join(folder, 'queries'),
    folder,
    querySeconds: 0.1,
  };
  await writeFile(job.texts, `${texts.join('\n')}\n`);
  await writeFile(job.meta, `kind\n${texts.map(() => 'text\n').join('')}`); // the program indexes at least one key
  await writeFile(job.queries, `any\twords=${words[0]!.join('+')}\n`);
  progress('tantivy: indexing');
  await tantivyWithFilters.run(job);
  return { server: await tantivyWithFilters.serve!(job) };
}

/** A server under a load; `CLIENTS` connections unless they are given. */
interface Run {
  readonly server: BenchServer;
  readonly load: LightLoad;
  readonly connections?: number;
}

interface Rate {
  readonly perSecond: number;
  /** Microseconds of processor time of a request: of all processes of the server, and of the load. */
  readonly server: number;
  readonly load: number;
}

interface Runs<T> {
  readonly one: T;
  readonly all: T;
  /** `all` with as many connections for each process as `one` has. */
  readonly equal?: T;
  readonly peer?: T;
}

type Measured = Runs<Rate>;

/** Medians of the rounds, in which the runs take turns. */
async function measure(runs: Runs<Run>): Promise<Measured> {
  const rounds: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const rates: [string, Rate][] = [];
    for (const [name, run] of Object.entries<Run>({ ...runs })) rates.push([name, await rateOf(run)]);
    rounds.push(Object.fromEntries(rates) as unknown as Measured);
  }
  const middle = (name: keyof Measured): Rate => {
    const of = (field: keyof Rate): number => median(rounds.map(({ [name]: rate }) => rate![field]));
    return { perSecond: of('perSecond'), server: of('server'), load: of('load') };
  };
  return Object.fromEntries(
    Object.keys(runs).map((name) => [name, middle(name as keyof Measured)]),
  ) as unknown as Measured;
}

async function rateOf({ server, load, connections = CLIENTS }: Run): Promise<Rate> {
  const before = secondsOf(server.pid);
  const { perSecond, all, busySeconds } = await load.send(server.url, connections, SECONDS);
  const microseconds = (seconds: number): number => (seconds * 1e6) / all;
  return { perSecond, server: microseconds(secondsOf(server.pid) - before), load: microseconds(busySeconds) };
}

/** Words of all frequencies, as they occur in the texts. */
function queries(random: () => number): string[][] {
  return Array.from({ length: QUERIES }, () => [5, 50, 500].map((spread) => `w${10 + Math.floor(spread * random())}`));
}

function searches(words: readonly string[][], options: object = {}): Prepared[] {
  return words.map((each) =>
    prepare('/v1/fts', {
      collection: COLLECTION,
      algorithm: 'bm25',
      query: each.join(' '),
      limit: 10,
      fields: ['key'],
      ...options,
    })
  );
}

function peerSearches(words: readonly string[][]): Prepared[] {
  return words.map((each) => prepare(`/search?words=${each.join('+')}&match=any`));
}

async function post(server: BenchServer, path: string, value: object): Promise<void> {
  const answer = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(value),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}
