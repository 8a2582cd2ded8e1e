// The document service called directly: `node in-process.ts JOB.json ANSWER.json` runs each kind of a `Calls` in turn,
// slice by slice, so that all have the same conditions, and writes a `Called` by kind.
import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Operations } from '../../generated/docs/operations.ts';
import { ServiceError } from '../../src/errors/index.ts';
import type { Caller } from '../../src/operations/index.ts';
import { latencyOf } from '../peers/latencies.ts';
import { openService } from './docs-service.ts';
import { scaled } from './scale.ts';

export interface Call {
  readonly operation: keyof Operations & string;
  readonly input: object;
}

export interface Calls {
  readonly database: string;
  readonly env: Readonly<Record<string, string>>;
  readonly kinds: Readonly<Record<string, readonly Call[]>>;
  /** Seconds for each kind. */
  readonly seconds: number;
  /**
   * A search that is repeated before measuring until it uses the `algorithm` that it requests and no thread works, or
   * the time is over.
   */
  readonly until?: Call;
  /** Whether the keys of the results of each call are needed. */
  readonly keys?: boolean;
}

export interface Called extends ReturnType<typeof latencyOf> {
  /** Duration of the longest call, in milliseconds. */
  readonly longest: number;
  /** Keys of the results of each call, if they are needed. */
  readonly found: readonly (readonly string[])[];
}

const SLICES = 8;
const WAIT_SECONDS = scaled(300, 30);
/** Processor time of a second in which no thread of the process works. */
const IDLE_MICROSECONDS = 100_000;
const CALLER: Caller = { protocol: 'http', requestId: 'bench' };

const [file, out] = process.argv.slice(2) as [string, string];
const { database, env, kinds, seconds, until, keys = false } = JSON.parse(readFileSync(file, 'utf8')) as Calls;
const { invoke, stop } = await openService(database, env);
const names = Object.keys(kinds);
if (until !== undefined) {
  await structureBuilt(until);
  await threadsIdle();
}
const found = await firstAnswers(keys ? Infinity : 1);
const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
for (let slice = 0; slice <= SLICES; slice++) {
  for (const name of names) {
    const measured = await callFor(kinds[name]!, seconds / SLICES);
    // The first slice is the warm-up.
    if (slice > 0) { for (const time of measured) times[name]!.push(time); }
  }
}
await stop();
writeFileSync(out, JSON.stringify(Object.fromEntries(names.map((name) => [name, {
  ...latencyOf(times[name]!),
  longest: times[name]!.reduce((most, time) => Math.max(most, time), 0),
  found: found[name]!,
} satisfies Called]))));

/** Input is completed in place, so each call needs its own. */
async function call({ operation, input }: Call): Promise<unknown> {
  return (await invoke(operation, structuredClone(input), CALLER)).value;
}

/**
 * The keys that the first calls of each kind return. Kinds take turns, because a structure that is not complete yet
 * finds other documents later.
 */
async function firstAnswers(most: number): Promise<Record<string, string[][]>> {
  const answers: Record<string, string[][]> = Object.fromEntries(names.map((name) => [name, []]));
  const count = Math.min(most, Math.max(...names.map((name) => kinds[name]!.length)));
  for (let n = 0; n < count; n++) {
    for (const name of names) {
      const each = kinds[name]![n];
      if (each !== undefined) answers[name]!.push(keysIn(await answered(each)));
    }
  }
  return answers;
}

/** While a structure is being built, searches use another algorithm. */
async function structureBuilt(search: Call): Promise<void> {
  const { algorithm } = search.input as { algorithm?: string };
  for (const end = performance.now() + WAIT_SECONDS * 1000; performance.now() < end; await sleep(100)) {
    if (((await answered(search)) as { algorithm?: string }).algorithm === algorithm) return;
  }
}

/**
 * Searches use a structure when most of it is built; the threads that build the rest find other documents meanwhile,
 * and share the processors.
 */
async function threadsIdle(): Promise<void> {
  for (const end = performance.now() + WAIT_SECONDS * 1000; performance.now() < end;) {
    const before = process.cpuUsage();
    await sleep(1000);
    const { user, system } = process.cpuUsage(before);
    if (user + system < IDLE_MICROSECONDS) return;
  }
}

/** Views that are loading respond with 503. */
async function answered(each: Call): Promise<unknown> {
  for (const end = performance.now() + WAIT_SECONDS * 1000; performance.now() < end; await sleep(50)) {
    try {
      return await call(each);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 503) throw error;
    }
  }
  throw new Error(`${each.operation} was not answered within ${WAIT_SECONDS} s`);
}

/** Milliseconds of each call. */
async function callFor(calls: readonly Call[], duration: number): Promise<number[]> {
  const measured: number[] = [];
  const copies = calls.map(({ operation, input }) => ({ operation, text: JSON.stringify(input) }));
  for (const end = performance.now() + duration * 1000; performance.now() < end; await setImmediate()) {
    const { operation, text } = copies[measured.length % copies.length]!;
    const input = JSON.parse(text) as object;
    const before = performance.now();
    await invoke(operation, input, CALLER);
    measured.push(performance.now() - before);
  }
  return measured;
}

function keysIn(answer: unknown): string[] {
  const { results = [] } = answer as { results?: readonly { readonly document?: { readonly key?: string } }[] };
  return Array.isArray(results) ? results.map(({ document }) => document?.key ?? '') : [];
}
