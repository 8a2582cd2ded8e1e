import type { Standing } from '../../operations/index.ts';
import { CHANGE_FLAGS, type EncodedBody } from '../../storage/index.ts';
import { type Deps, transact, type TransactDeps } from './deps.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** A document that is about to be written, as the queue of documents to embed needs it. */
export interface PendingDocument extends Pick<EncodedBody, 'crc' | 'bytes'> {
  readonly id: string;
}

/** Milliseconds that a request may still wait for free places in the queue; each wait is subtracted. */
export interface WaitBudget {
  left: number;
}

/**
 * Back-pressure of the queue of documents to embed (contract section 4, rules of `/v1/add-batch`). Waiting happens
 * outside of transactions.
 */
export interface EmbeddingCapacity {
  /** Maximum number of documents in the queue. A transaction must not write more, because they would never all fit. */
  readonly size: number;
  /** Whether every document fits at present, so that nothing has to be reserved. */
  readonly isUnlimited: boolean;
  /** Returns the wait that is allowed to one request. */
  waitBudget(): WaitBudget;
  /** Waits for free places until `waitBudget` is used up. Rejects with the signal's reason when that aborts. */
  reserve(documents: readonly PendingDocument[], waitBudget: WaitBudget, signal?: AbortSignal): Promise<Reservation>;
}

/** The places that were reserved; call `commit` or `cancel` to end the reservation. */
export interface Reservation {
  /** Ids of the documents that do not fit the queue: they are stored without an embedding. */
  readonly dropped: ReadonlySet<string>;
  /**
   * The documents were written; `lsn` is the number of their transaction's last change, `dropped` how many of the
   * stored documents did not fit.
   */
  commit(lsn: number, dropped: number): void;
  /** Nothing was written. */
  cancel(): void;
}

/** For a server without embeddings: every document fits, and nothing is queued. */
const unlimited: Reservation = { dropped: new Set(), commit: () => undefined, cancel: () => undefined };
export const UNLIMITED_CAPACITY: EmbeddingCapacity = {
  size: Infinity,
  isUnlimited: true,
  waitBudget: () => ({ left: 0 }),
  reserve: async () => unlimited,
};

/** A version of a document that carries flags for the change feed. */
interface Flagged {
  readonly flags: number;
}

interface Demand<V extends Flagged> {
  readonly versions: readonly V[];
  /** What the queue has to know of a version; undefined when nothing of it needs embedding. */
  readonly toPending: (version: V) => PendingDocument | undefined;
  readonly waitBudget: WaitBudget;
  readonly signal?: AbortSignal | undefined;
  /** Whose permission is needed when the transaction begins; absent for the service's own work. */
  readonly by?: Standing | undefined;
  /** The collection of the versions, if the transaction writes nothing but them (`TransactionOptions`). */
  readonly only?: string | undefined;
}

/**
 * The outcome of a write: `stored` are the flagged versions that were stored, `lsn` is the number of its last change.
 */
interface Stored<V extends Flagged, T> {
  readonly value: T;
  readonly stored: readonly V[];
  readonly lsn: number;
}

/**
 * Waits for places in the embedding queue, then writes documents. Documents that did not fit the queue are flagged, so
 * that followers of the feed do not embed them.
 */
export async function withCapacity<V extends Flagged, T>({ embeddingCapacity }: Pick<Deps, 'embeddingCapacity'>,
  { versions, toPending, waitBudget, signal }: Demand<V>,
  write: (versions: readonly V[]) => Promise<Stored<V, T>>): Promise<{ value: T; dropped: number }>
{
  if (embeddingCapacity.isUnlimited) return { value: (await write(versions)).value, dropped: 0 };
  const pending = versions.map((
    version,
  ) => ((version.flags & CHANGE_FLAGS.SKIP_EMBEDDINGS) === 0 ? toPending(version) : undefined));
  const reservation = await embeddingCapacity.reserve(pending.filter((each) => each !== undefined), waitBudget, signal);
  const isDropped = (i: number): boolean => pending[i] !== undefined && reservation.dropped.has(pending[i].id);
  const flagged = versions.map((version,
    i) => (isDropped(i) ? { ...version, flags: version.flags | CHANGE_FLAGS.EMBEDDING_DROPPED } : version)
  );
  try {
    const { value, stored, lsn } = await write(flagged);
    const dropped = stored.filter(({ flags }) => (flags & CHANGE_FLAGS.EMBEDDING_DROPPED) !== 0).length;
    reservation.commit(lsn, dropped);
    return { value, dropped };
  } catch (error) {
    reservation.cancel();
    throw error;
  }
}

/** As `withCapacity`, in a transaction of its own. */
export function transactWithCapacity<V extends Flagged, T>(deps: TransactDeps & Pick<Deps, 'embeddingCapacity'>,
  demand: Demand<V>,
  steps: (work: UnitOfWork, versions: readonly V[]) => Promise<{ value: T; stored: readonly V[] }>
): Promise<{ value: T; dropped: number }> {
  const { by, only } = demand;
  return withCapacity(deps, demand,
    (versions) =>
      transact(deps, async (work) => ({ ...await steps(work, versions), lsn: await work.feed.append(work.tx, []) }), by,
        only === undefined ? undefined : () => [only]));
}
