import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilterCollection } from '../filters/collection.ts';
import { type OverHttp, overHttp } from '../filters/over-http.ts';
import { fill } from '../filters/quire.ts';
import { requestOf } from '../filters/requests.ts';
import { type Ask, FILTER_PEERS, type FilterPeer, toQuery } from '../peers/filters/index.ts';
import type { Asked } from '../peers/queries-file.ts';
import { startDocsChild } from '../support/docs-child.ts';
import { progress } from '../support/progress.ts';
import { startScript } from '../support/server.ts';
import { prepare, type Prepared, Wire } from '../support/wire.ts';
import type { EngineKind } from './in-process.ts';

/** `reranked` is `or` with the service's default; the other kinds are without reranking. */
export type HttpKind = EngineKind | 'reranked';

export interface EngineOverHttp {
  readonly quire: ReadonlyMap<HttpKind, OverHttp>;
  /** A koa route that returns the bytes of one of our responses. */
  readonly koa: OverHttp;
  readonly peers: readonly { readonly peer: FilterPeer; readonly http?: ReadonlyMap<EngineKind, OverHttp>;
    readonly failure?: string }[];
}

const MATCH: Readonly<Record<EngineKind, NonNullable<Ask['match']>>> = { or: 'any', pair: 'all', phrase: 'phrase' };
const KOA = join(import.meta.dirname, '..', 'bare-koa.ts');

/**
 * Our service without reranking, which the peers do not do either; then the route; then the peers, with their own
 * servers.
 */
export async function measureOverHttp(folder: string, collection: FilterCollection,
  queries: readonly Asked[]): Promise<EngineOverHttp>
{
  const asks = new Map(
    (Object.keys(MATCH) as EngineKind[]).map((kind): [EngineKind, Ask[]] => [kind, queries.filter((query) =>
      query.kind === kind
    ).map(({ words }) => ({ words, match: MATCH[kind] }))]),
  );
  progress('Quire: adding the documents');
  const server = await startDocsChild(join(folder, 'engine.db'));
  await fill(server.url, collection.texts.file, () => ({}));
  progress('Quire: over HTTP');
  const plain = [...asks].map((
    [kind, list],
  ): [HttpKind, Prepared[]] => [kind, list.map((ask) => post(ask, { rerank: false }))]);
  const reranked = asks.get('or')!.map((ask) => post(ask));
  const quire = await overHttp(server.url, new Map<HttpKind, Prepared[]>([...plain, ['reranked', reranked]]));
  const answer = await bodyOf(server.url, plain[0]![1][0]!);
  await server.stop();
  const bare = await startScript(KOA, answer, '/v1/fts');
  const koa = (await overHttp(bare.url, new Map([['or', plain[0]![1]]]))).get('or')!;
  await bare.stop();
  const peers = [];
  for (const peer of FILTER_PEERS.filter(({ serve }) => serve !== undefined))
    peers.push(await peerOverHttp(folder, collection, asks, peer));
  return { quire, koa, peers };
}

function post(ask: Ask, more: object = {}): Prepared {
  const { path, input } = requestOf(ask);
  return prepare(path, { ...input, ...more });
}

async function bodyOf(url: string, request: Prepared): Promise<string> {
  const wire = await Wire.open(url);
  const status = await wire.ask(request);
  wire.close();
  if (status !== 200) throw new Error(`a search answered ${status}: ${wire.body.slice(0, 500)}`);
  return wire.body;
}

async function peerOverHttp(folder: string, { texts, meta }: FilterCollection,
  asks: ReadonlyMap<EngineKind, readonly Ask[]>, peer: FilterPeer): Promise<EngineOverHttp['peers'][number]>
{
  progress(`${peer.name}: over HTTP`);
  const reason = peer.missing();
  if (reason !== undefined) return { peer, failure: reason };
  const own = join(folder, 'peer');
  await mkdir(own);
  try {
    const queries = join(own, 'questions.tsv');
    await writeFile(queries, `or\t${toQuery(asks.get('or')![0]!)}\n`);
    const job = { texts: texts.file, meta, queries, folder: own, querySeconds: 0 };
    await peer.run(job);
    const server = await peer.serve!(job);
    const requests = new Map(
      [...asks].map(([kind, list]) => [kind, list.map((ask) => prepare(`/search?${toQuery(ask)}`))]),
    );
    return { peer, http: await overHttp(server.url, requests).finally(() => server.stop()) };
  } catch (error) {
    return { peer, failure: (error as Error).message };
  } finally {
    await rm(own, { recursive: true });
  }
}
