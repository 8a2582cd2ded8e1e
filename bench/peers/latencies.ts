import type { Engine } from './engine.ts';
import type { Kind, Latency } from './job.ts';
import type { Asked } from './queries-file.ts';

/** Warm-up in seconds for queries of all kinds before any is measured, so that the code is compiled. */
const WARM_SECONDS = 1;

/** Runs the queries of each kind that an engine supports, repeatedly in turn. */
export function measureKinds(search: Engine['search'], queries: readonly Asked[],
  seconds: number): Partial<Record<Kind, Latency>>
{
  const kinds = [...new Set(queries.map(({ kind }) => kind))].filter((kind) => search[kind] !== undefined);
  const listOf = (kind: Kind) => queries.filter((query) => query.kind === kind).map(({ words }) => words);
  for (const kind of kinds) runFor(search[kind]!, listOf(kind), Math.min(WARM_SECONDS, seconds) / kinds.length);
  return Object.fromEntries(kinds.map((kind) => [kind, measure(search[kind]!, listOf(kind), seconds)]));
}

function measure(ask: (words: readonly string[]) => number, list: readonly (readonly string[])[],
  seconds: number): Latency
{
  runFor(ask, list, seconds / 4);
  const { times, matches } = runFor(ask, list, seconds);
  return { ...latencyOf(times), matches };
}

/**
 * Runs until the time is over, which is checked after each query; all queries run at least once, unless that takes more
 * than twice the time.
 */
function runFor(ask: (words: readonly string[]) => number, list: readonly (readonly string[])[],
  seconds: number): { times: number[]; matches: number }
{
  const begun = performance.now();
  const times: number[] = [];
  let matches = 0;
  for (let i = 0;; i++) {
    const before = performance.now();
    const elapsed = before - begun;
    if (elapsed > seconds * 2000 || (elapsed > seconds * 1000 && i >= list.length)) break;
    const found = ask(list[i % list.length]!);
    times.push(performance.now() - before);
    if (i < list.length) matches += found;
  }
  return { times, matches: matches / Math.min(times.length, list.length) };
}

/** Computed from durations in milliseconds. */
export function latencyOf(times: readonly number[]): Omit<Latency, 'matches'> {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]! * 1000;
  return {
    perSecond: (times.length * 1000) / times.reduce((sum, time) => sum + time, 0),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
  };
}
