import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Transaction } from '../../storage/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Queue, RunRecord } from '../queue/port.ts';
import { findKey, forgetKey, type KnownKey, type NamedKey, pruneKeys, takeKey } from './keys.ts';

export interface Once extends NamedKey {
  readonly requestHash: Uint8Array;
  /**
   * Whether the key is bound to one request, as for clients; a key of the service itself says everything that counts.
   */
  readonly sameRequestOnly: boolean;
  /** Validates the run before it is queued; not called when the key is known. */
  readonly prepare: () => Promise<(tx: Transaction) => Promise<RunRecord>>;
  /** Thrown if the run could not be stored. */
  readonly insertFailed: (error: unknown) => unknown;
}

export interface OnceResult {
  /** The run as it is now. */
  readonly run: RunRecord;
  /** The key was known. */
  readonly replayed: boolean;
}

/** Queues a run once for each key (decisions, section 2.4). */
export interface Idempotency {
  /** Throws `idempotency_conflict` if the key was used for another request, and what `prepare` throws. */
  once(request: Once): Promise<OnceResult>;
  /** Deletes expired keys in small steps until none is left or the signal aborts. */
  prune(signal?: AbortSignal): Promise<void>;
}

/** How long an expired key of an unfinished run is kept before it is checked again, in seconds. */
const AGAIN_AFTER = 3600;

const FINISHED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);

interface Found {
  readonly known: KnownKey;
  /**
   * Undefined if the key has expired and its run has finished, or if its run no longer exists: the key is free again.
   */
  readonly run: RunRecord | undefined;
}

export function createIdempotency({ sql, clock, config }: Pick<RunsEnvironment, 'sql' | 'clock' | 'config'>,
  queue: Pick<Queue, 'get'>): Idempotency
{
  async function find(name: NamedKey): Promise<Found | undefined> {
    const known = await findKey(sql, name);
    if (known === undefined) return undefined;
    const run = await queue.get(known.runId);
    const isOver = run === undefined || (known.expiresAt <= unixSeconds(clock) && FINISHED.has(run.state));
    return { known, run: isOver ? undefined : run };
  }

  function replay(request: Once, { known }: Found, run: RunRecord): OnceResult {
    if (request.sameRequestOnly && Buffer.compare(known.requestHash, request.requestHash) !== 0)
      throw new ServiceError('idempotency_conflict', 'the key is known with another request');
    return { run, replayed: true };
  }

  /** Undefined if another request with this key was faster. */
  async function insert(request: Once, stale: KnownKey | undefined,
    work: (tx: Transaction) => Promise<RunRecord>): Promise<RunRecord | undefined>
  {
    const expiresAt = Math.floor((clock.now() + config.current().config.runtime.idempotency_ttl) / 1000);
    return sql.transaction(async (tx) => {
      if (stale !== undefined) await forgetKey(tx, request, stale.runId);
      if ((await findKey(tx, request)) !== undefined) return undefined;
      const run = await work(tx);
      // The index decides: another node may have queued a run meanwhile. Then this run is rolled back.
      if (!(await takeKey(tx, request, { requestHash: request.requestHash, runId: run.id, expiresAt })))
        throw new LostRace();
      return run;
    }).catch((error: unknown) => {
      if (error instanceof LostRace) return undefined;
      throw request.insertFailed(error);
    });
  }

  return {
    async once(request) {
      for (;;) {
        const found = await find(request);
        if (found?.run !== undefined) return replay(request, found, found.run);
        const run = await insert(request, found?.known, await request.prepare());
        if (run !== undefined) return { run, replayed: false };
      }
    },
    async prune(signal) {
      const isUnfinished = async (runId: string): Promise<boolean> => {
        const run = await queue.get(runId);
        return run !== undefined && !FINISHED.has(run.state);
      };
      const now = unixSeconds(clock);
      // Lets other work run between two steps.
      while (!signal?.aborted && (await pruneKeys(sql, now, now + AGAIN_AFTER, isUnfinished))) await setImmediate();
    },
  };
}

class LostRace extends Error {}
