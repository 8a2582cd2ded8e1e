import { AsyncLocalStorage } from 'node:async_hooks';
import { systemTimer, type Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Loop } from '../lib/loop.ts';
import type { Queries, Sql } from '../storage/index.ts';
import type { DocsEnvironment } from './environment.ts';

/** The message that a node sends to the others after its commits. */
const CHANGED = 'docs changed';
const GATHER_MS = 2;

/** Milliseconds between checks: a message may be lost, and this is the maximum delay in that case. */
const LOOK_MS = 1000;

/**
 * Keeps the memory of a node up to date with a database that other nodes write too: when they announce a commit, once a
 * second, and at the beginning of each of its own turns to write. Requests check for themselves.
 */
export function followNodes({ sql, log }: Pick<DocsEnvironment, 'sql' | 'log'>,
  refresh: (queries?: Queries) => Promise<void>, timer: Timer = systemTimer): { stop(): Promise<void> }
{
  const failure = 'changes of other nodes could not be read; trying again';
  const look = (): Promise<void> => refresh().catch((error: unknown) => log.warn({ err: error }, failure));
  sql.onTurn?.(refresh);
  const stopListening = sql.peers?.listen((message) => {
    if (message === undefined || message === CHANGED) void look();
  });
  const looking = new Loop({ name: 'other nodes', everyMs: LOOK_MS, waitsFirst: true, timer, log, failure }, look);
  looking.start();
  return {
    async stop() {
      stopListening?.();
      await looking.stop();
    },
  };
}

/** Returns a function that announces commits to the other nodes; commits within a short time are announced together. */
export function announcer({ peers }: Pick<Sql, 'peers'>): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      peers?.notify(CHANGED);
    }, GATHER_MS).unref();
  };
}

/**
 * Returns a function that runs tasks one after the other, outside of the caller's asynchronous context, and does not
 * make the caller wait.
 */
export function laterOutside(log: Log): (work: () => Promise<void>) => Promise<void> {
  const outside = AsyncLocalStorage.snapshot();
  let last: Promise<void> = Promise.resolve();
  return async (work) => {
    last = outside(() => last.then(work)).catch((error: unknown) =>
      log.warn({ err: error }, 'what another node has configured could not be taken over; its next change tries again')
    );
  };
}

/** Repeats work that must not be left undone, once a second, until it succeeds or the signal aborts. Never rejects. */
export async function untilDone(work: () => Promise<void>, log: Log, signal: AbortSignal,
  timer: Timer = systemTimer): Promise<void>
{
  while (!signal.aborted) {
    try {
      return await work();
    } catch (error) {
      log.warn({ err: error }, 'the database could not be read again; trying again');
      await timer.sleep(LOOK_MS, signal);
    }
  }
}
