import { setImmediate } from 'node:timers/promises';
import { askHedged, HedgeDelay } from '../../docs/cluster/hedge.ts';
import { placementOf } from '../../docs/cluster/rendezvous.ts';
import { SimulatedTime } from './simulated-time.ts';

interface ScatterOptions {
  readonly random: () => number;
  readonly nodes: number;
  /** Partitions that each search asks. */
  readonly partitions: number;
  readonly searches: number;
  /** Whether a second replica is asked after the 95th percentile. */
  readonly isHedged: boolean;
  /** Part of the nodes that are slow, and by how many times. */
  readonly slow: { readonly share: number; readonly times: number };
  /** Part of the answers that a node delays, for garbage collection for example, and by how many milliseconds. */
  readonly pauses: { readonly share: number; readonly milliseconds: number };
}

export interface ScatterTimes {
  /** Milliseconds of searches. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  /** Requests for each partition of a search. */
  readonly requests: number;
}

/** Milliseconds of a partition's search on a node that is not slow: the median, and the spread of its logarithm. */
const MEDIAN_MS = 4;
const SPREAD = 0.4;

/** Searches of all partitions of a collection, over simulated nodes; a search ends with its last partition. */
export async function simulateScatter(options: ScatterOptions): Promise<ScatterTimes> {
  const { random, nodes: count, partitions, searches, isHedged, slow, pauses } = options;
  const time = new SimulatedTime();
  const nodes = Array.from({ length: count },
    (_, at) => ({ name: `node-${at}`, weight: 100, isDraining: false, limit: 0 }));
  const slowNodes = new Set(nodes.slice(0, Math.round(count * slow.share)).map(({ name }) => name));
  const replicas = Array.from({ length: partitions }, (_, at) => placementOf(64 + at, nodes, 2));
  const delay = new HedgeDelay();
  let requests = 0;
  const ask = async (node: string, signal: AbortSignal): Promise<void> => {
    requests += 1;
    const usual = MEDIAN_MS * Math.exp(SPREAD * normal(random)) * (slowNodes.has(node) ? slow.times : 1);
    await time.sleep(usual + (random() < pauses.share ? pauses.milliseconds : 0), signal);
    signal.throwIfAborted();
  };
  const never = new AbortController().signal;
  const times: number[] = [];
  for (let search = 0; search < searches; search++) {
    const begun = time.now;
    const answers = replicas.map(async (replica) => {
      // Which replica comes first changes, so that both have the same load.
      const order = search % 2 === 0 ? replica : replica.toReversed();
      await askHedged(ask, { nodes: order, delay: delay.delay, signal: never, atOnce: isHedged ? 2 : 1, timer: time });
      delay.observe(time.now - begun);
    });
    await runUntil(time, Promise.all(answers));
    times.push(time.now - begun);
  }
  return { ...percentiles(times), requests: requests / (searches * partitions) };
}

async function runUntil(time: SimulatedTime, done: Promise<unknown>): Promise<void> {
  let isDone = false;
  void done.then(() => (isDone = true));
  while (!isDone) {
    time.step();
    await setImmediate();
  }
}

function percentiles(times: readonly number[]): Omit<ScatterTimes, 'requests'> {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), p999: at(0.999) };
}

/** By the method of Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
