import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hnswlib, lanceDb, quire, usearch, type VectorJob, type VectorPeer } from '../peers/vectors/index.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { type Collection, SHARES } from './collections.ts';
import type { VectorOutcome } from './tables.ts';
import type { Measured } from './targets.ts';

export const OUR_METHODS = ['hnsw', 'flat', 'sq', 'sq4', 'bq', 'ivf', 'pq', 'opq', 'int8', 'int8, scored in full',
  'int4', 'int4, scored in full'];

export interface Plan {
  readonly ours?: readonly string[];
  /** The methods of the peers; peers that are not named are left out. */
  readonly theirs?: ReadonlyMap<VectorPeer, readonly string[]>;
  readonly updateSeconds?: number;
  readonly reopen?: boolean;
  /** A smaller collection with the same dimensions, from which build times are estimated. */
  readonly smaller?: Measured;
  /** Graphs that would take longer are left out. */
  readonly buildSeconds?: number;
}

export const GRAPHS: ReadonlyMap<VectorPeer, readonly string[]> = new Map([[hnswlib, ['hnsw']], [usearch, ['hnsw']]]);
export const EVERYTHING: ReadonlyMap<VectorPeer, readonly string[]> = new Map([[hnswlib, ['hnsw']], [usearch, ['hnsw',
  'flat']], [lanceDb, ['flat', 'IVF_HNSW_SQ', 'IVF_PQ']]]);

const SECONDS = scaled(0.3, 0.03);
const BUILD_SECONDS = 100;
/** The build time of graphs grows faster than their number of rows. */
const GROWTH = 1.15;

/** Our own methods and those of the peers over one collection, each peer in a separate process. */
export async function measure(folder: string, collection: Collection, plan: Plan): Promise<Measured> {
  const outcomes: VectorOutcome[] = [];
  for (const [peer, methods] of [[quire, plan.ours ?? OUR_METHODS] as const, ...(plan.theirs ?? EVERYTHING)]) {
    progress(`${peer.name}: ${collection.name}, ${collection.count} x ${collection.dims}`);
    outcomes.push(await outcomeOf(folder, collection, plan, peer, methods));
  }
  return { collection, outcomes };
}

async function outcomeOf(folder: string, collection: Collection, plan: Plan, peer: VectorPeer,
  wanted: readonly string[]): Promise<VectorOutcome>
{
  const reason = peer.missing();
  if (reason !== undefined) return { peer, failure: reason };
  const most = plan.buildSeconds ?? BUILD_SECONDS;
  const foreseen = peer === quire ? 0 : foresee(collection, plan.smaller, peer);
  const methods = foreseen > most ? wanted.filter((method) => method !== 'hnsw') : wanted;
  const failure = methods.length === wanted.length
    ? undefined
    : `hnsw was left out: building would take some ${foreseen.toFixed(0)} s.`;
  if (methods.length === 0) return { peer, failure: failure! };
  const { base, count, dims, metric, queries, truth, isReal } = collection;
  const own = join(folder, 'peer');
  await mkdir(own);
  const job: VectorJob = {
    base,
    count,
    dims,
    metric,
    queries,
    truth,
    methods,
    shares: SHARES,
    folder: own,
    seconds: SECONDS,
    buildSeconds: most * 2,
    structuresOnly: isReal,
    updateSeconds: plan.updateSeconds ?? 0,
    reopen: plan.reopen ?? false,
  };
  try {
    const answer = await peer.run(job);
    return {
      peer,
      ...(answer.complete && { answer }),
      ...(answer.complete
        ? failure && { failure }
        : { failure: `given up after ${answer.seconds.toFixed(0)} s and ${answer.rows} rows.` }),
    };
  } catch (error) {
    return { peer, failure: (error as Error).message };
  } finally {
    await rm(own, { recursive: true });
  }
}

function foresee({ count }: Collection, smaller: Measured | undefined, peer: VectorPeer): number {
  const before = smaller?.outcomes.find((each) => each.peer === peer)?.answer?.methods['hnsw'];
  return before === undefined ? 0 : before.buildSeconds * (count / smaller!.collection.count) * GROWTH;
}
