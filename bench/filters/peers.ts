import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FILTER_PEERS, type FilterAnswer, type FilterJob, type FilterPeer, toQuery } from '../peers/filters/index.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { prepare } from '../support/wire.ts';
import type { FilterCollection, FilterKind } from './collection.ts';
import { type OverHttp, overHttp } from './over-http.ts';

const SECONDS = scaled(3, 0.3);

/** The result of one peer: figures, or why there are none. */
export interface PeerMeasured {
  readonly peer: FilterPeer;
  readonly answer?: FilterAnswer;
  readonly http?: ReadonlyMap<FilterKind, OverHttp>;
  readonly failure?: string;
}

/** Runs each peer in a separate process, one at a time, in process and then with its server if it has one. */
export async function measurePeers(folder: string, collection: FilterCollection): Promise<PeerMeasured[]> {
  const measured: PeerMeasured[] = [];
  for (const peer of FILTER_PEERS) measured.push(await measurePeer(folder, collection, peer));
  return measured;
}

async function measurePeer(folder: string, { texts, meta, queries, questions }: FilterCollection,
  peer: FilterPeer): Promise<PeerMeasured>
{
  progress(`${peer.name}: in process`);
  const reason = peer.missing();
  if (reason !== undefined) return { peer, failure: reason };
  const own = join(folder, 'peer');
  await mkdir(own);
  const job: FilterJob = { texts: texts.file, meta, queries, folder: own, querySeconds: SECONDS };
  try {
    const answer = await peer.run(job);
    if (peer.serve === undefined) return { peer, answer };
    progress(`${peer.name}: over HTTP`);
    const server = await peer.serve(job);
    const kinds = new Set(questions.map(({ kind }) => kind));
    const requests = new Map(
      [...kinds].map((kind) => [kind, questions.filter((question) =>
        question.kind === kind
      ).map(({ ask }) =>
        prepare(`/search?${toQuery(ask)}`)
      )]),
    );
    const http = await overHttp(server.url, requests).finally(() => server.stop());
    return { peer, answer, http };
  } catch (error) {
    return { peer, failure: (error as Error).message };
  } finally {
    await rm(own, { recursive: true });
  }
}
