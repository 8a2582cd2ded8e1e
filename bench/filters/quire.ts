import { join } from 'node:path';
import { type Called, callInProcess } from '../support/call-in-process.ts';
import { clientOf } from '../support/client.ts';
import { linesOf } from '../support/corpus.ts';
import { type DocsChild, startDocsChild } from '../support/docs-child.ts';
import type { Usage } from '../support/docs-server.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { prepare, type Prepared, send, Wire } from '../support/wire.ts';
import { type FilterCollection, type FilterKind, KINDS, metaOf } from './collection.ts';
import { type OverHttp, overHttp } from './over-http.ts';
import { COLLECTION, type Request, requestOf } from './requests.ts';
import { bytesOfPair, type PairBytes } from './view-bytes.ts';

const BATCH = 500;
const IN_PROCESS_SECONDS = scaled(3, 0.3);
const SOAK_SECONDS = scaled(600, 3);
const FILL_SECONDS = SOAK_SECONDS / 3;
const SOAK_CONNECTIONS = 4;

/** Kinds that only our service has: days of `addedAt`, which is one day for all documents here. */
export type OwnKind = FilterKind | 'calendar';

/**
 * All kinds of searches for some minutes. Caches and the pages of the mapped database fill in the first part, which is
 * measured apart.
 */
export interface Soak {
  readonly seconds: number;
  readonly fillSeconds: number;
  readonly memory: Readonly<Record<'before' | 'filled' | 'after', Memory>>;
  readonly answered: number;
  readonly refused: number;
  readonly longestBlock: number;
}

/** Bytes of the process, and those of them that are pages of files. */
export type Memory = Pick<Usage, 'rss' | 'mapped'>;

export interface QuireMeasured {
  readonly ingestSeconds: number;
  /** Number of matches, by the number of the query. */
  readonly totals: readonly number[];
  readonly http: ReadonlyMap<FilterKind, OverHttp>;
  readonly inProcess: Readonly<Record<OwnKind, Called>>;
  readonly pairBytes: PairBytes;
  readonly soak: Soak;
  readonly restartMs: number;
}

/** Fills a service, and queries it over HTTP, for some minutes continuously, after a restart, and without HTTP. */
export async function measureQuire(folder: string, { texts, questions }: FilterCollection): Promise<QuireMeasured> {
  const database = join(folder, 'filters.db');
  progress('Quire: adding the documents');
  const server = await startDocsChild(database);
  const ingestSeconds = await fill(server.url, texts.file);
  const totals = await totalsOf(server.url, questions.map(({ ask }) => requestOf(ask)));
  const byKind = new Map(
    (Object.keys(KINDS) as FilterKind[]).map((kind) => [kind, questions.filter((question) =>
      question.kind === kind
    ).map(({ ask }) => requestOf(ask))]),
  );
  const prepared = new Map(
    [...byKind].map(([kind, requests]): [FilterKind, Prepared[]] => [kind, requests.map(({ path, input }) =>
      prepare(path, input)
    )]),
  );
  progress('Quire: over HTTP');
  const http = await overHttp(server.url, prepared, async () => (await server.usage()).longestBlock);
  const soak = await soaked(server, [...prepared.values()].flat());
  await server.stop();
  const restartMs = await restarted(database, prepared.get('half')![0]!);
  progress('Quire: in process');
  const calendar: Request = {
    operation: 'aggregateDocuments',
    path: '/v1/aggregate',
    input: { collection: COLLECTION, filterMeta: { half: ['1'] }, histograms: [{ field: 'addedAt', interval: 'day' }] },
  };
  const kinds = { ...Object.fromEntries(byKind), calendar: [calendar] } as Record<OwnKind, Request[]>;
  const inProcess = await callInProcess<OwnKind>(folder, { database, env: {}, seconds: IN_PROCESS_SECONDS, kinds });
  return { ingestSeconds, totals, http, inProcess, pairBytes: bytesOfPair(texts.documents), soak, restartMs };
}

/** Adds the documents of a file with one client, and returns the duration in seconds. */
export async function fill(url: string, file: string,
  metadata: (number: number) => Record<string, string> = metaOf): Promise<number>
{
  const client = clientOf(url);
  let documents: object[] = [];
  let number = 0;
  let spent = 0;
  const add = async () => {
    const begun = performance.now();
    await client.post('/v1/add-batch', { collection: COLLECTION, documents });
    spent += performance.now() - begun;
    documents = [];
  };
  for await (const contentMd of linesOf(file)) {
    const meta = Object.fromEntries(Object.entries(metadata(number)).map(([key, value]) => [key, [value]]));
    documents.push({ key: `page-${number++}`, lang: 'en', contentMd, meta });
    if (documents.length === BATCH) await add();
  }
  if (documents.length > 0) await add();
  client.close();
  return spent / 1000;
}

async function totalsOf(url: string, requests: readonly Request[]): Promise<number[]> {
  const wire = await Wire.open(url);
  const totals: number[] = [];
  for (const { path, input } of requests) {
    const status = await wire.ask(prepare(path, input));
    if (status !== 200) throw new Error(`${path} answered ${status}: ${wire.body.slice(0, 500)}`);
    const { totalMatches, totalDocs } = JSON.parse(wire.body) as { totalMatches?: number; totalDocs?: number };
    totals.push(totalMatches ?? totalDocs ?? Number(/x-total-count: *(\d+)/i.exec(wire.head)?.[1]));
  }
  wire.close();
  return totals;
}

/** All kinds at once for some minutes, and the memory before, when caches have filled, and afterwards. */
async function soaked(server: DocsChild, requests: readonly Prepared[]): Promise<Soak> {
  progress(`Quire: all kinds of searches for ${SOAK_SECONDS} s`);
  const before = await server.usage();
  const filling = await send(server.url, requests, SOAK_CONNECTIONS, FILL_SECONDS);
  const filled = await server.usage();
  const rest = await send(server.url, requests, SOAK_CONNECTIONS, SOAK_SECONDS - FILL_SECONDS);
  const after = await server.usage();
  return {
    seconds: SOAK_SECONDS,
    fillSeconds: FILL_SECONDS,
    memory: { before, filled, after },
    answered: filling.times.length + rest.times.length,
    refused: filling.refused + rest.refused,
    longestBlock: Math.max(filled.longestBlock, after.longestBlock),
  };
}

/** Milliseconds from the start of a server to its first response to a search with a filter. */
async function restarted(database: string, request: Prepared): Promise<number> {
  progress('Quire: starting again');
  const begun = performance.now();
  const server = await startDocsChild(database);
  const wire = await Wire.open(server.url);
  for (let status = 0; status !== 200;) {
    status = await wire.ask(request);
    if (status === 503) await new Promise((resolve) => setTimeout(resolve, 5));
    else if (status !== 200) throw new Error(`a search was answered ${status} after a restart`);
  }
  const ms = performance.now() - begun;
  wire.close();
  await server.stop();
  return ms;
}
