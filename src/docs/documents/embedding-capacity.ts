import { CHANGE_FLAGS, type EncodedBody } from '../../storage/index.ts';
import { transact, type Deps, type TransactDeps } from './deps.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** A document that is about to be written, as the queue of documents to embed sees it. */
export interface PendingDocument extends Pick<EncodedBody, 'crc' | 'bytes'> {
  readonly id: string;
}

/** Milliseconds that a request may still wait for room; what it waits is taken off. */
export interface WaitBudget {
  left: number;
}

/** Room in the queue of documents to embed (contract section 4, rules of `/v1/add-batch`). Waiting happens outside of any transaction. */
export interface EmbeddingCapacity {
  /** Documents that the queue holds at most; a transaction that writes more could never find room for all of them. */
  readonly size: number;
  /** For one request. */
  waitBudget(): WaitBudget;
  /** Waits for room until the budget is used up. Rejects with the signal's reason when that aborts. */
  reserve(documents: readonly PendingDocument[], waitBudget: WaitBudget, signal?: AbortSignal): Promise<Reservation>;
}

/** What was found; to be ended by one of its functions. */
export interface Reservation {
  /** Ids of the documents for which there is no room: they are stored without an embedding. */
  readonly dropped: ReadonlySet<string>;
  /** The documents were written; `lsn` is the number of their transaction's last change, `dropped` how many of the stored ones had no room. */
  commit(lsn: number, dropped: number): void;
  /** Nothing was written. */
  cancel(): void;
}

/** Of a server without embeddings: there is always room, and nothing comes of it. */
const unlimited: Reservation = { dropped: new Set(), commit: () => undefined, cancel: () => undefined };
export const UNLIMITED_CAPACITY: EmbeddingCapacity = { size: Infinity, waitBudget: () => ({ left: 0 }), reserve: async () => unlimited };

/** A version of a document that carries flags for the change feed. */
interface Flagged {
  readonly flags: number;
}

interface Demand<V extends Flagged> {
  readonly versions: readonly V[];
  /** What the queue has to know of a version; undefined when it brings nothing to embed. */
  readonly toPending: (version: V) => PendingDocument | undefined;
  readonly waitBudget: WaitBudget;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a transaction that writes documents, after waiting for room for their embeddings. Those that found
 * none are flagged, so that whoever follows the feed leaves them alone; `steps` answers its value
 * together with the flagged versions that were stored.
 */
export async function transactWithCapacity<V extends Flagged, T>(
  deps: TransactDeps & Pick<Deps, 'embeddingCapacity'>, { versions, toPending, waitBudget, signal }: Demand<V>, steps: (work: UnitOfWork, versions: readonly V[]) => Promise<{ value: T; stored: readonly V[] }>,
): Promise<{ value: T; dropped: number }> {
  const pending = versions.map((version) => ((version.flags & CHANGE_FLAGS.SKIP_EMBEDDINGS) === 0 ? toPending(version) : undefined));
  const reservation = await deps.embeddingCapacity.reserve(pending.filter((each) => each !== undefined), waitBudget, signal);
  const isDropped = (i: number): boolean => pending[i] !== undefined && reservation.dropped.has(pending[i].id);
  const flagged = versions.map((version, i) => (isDropped(i) ? { ...version, flags: version.flags | CHANGE_FLAGS.EMBEDDING_DROPPED } : version));
  try {
    const { value, dropped, lsn } = await transact(deps, async (work) => {
      const done = await steps(work, flagged);
      const lost = done.stored.filter(({ flags }) => (flags & CHANGE_FLAGS.EMBEDDING_DROPPED) !== 0).length;
      return { value: done.value, dropped: lost, lsn: await work.feed.append(work.tx, []) };
    });
    reservation.commit(lsn, dropped);
    return { value, dropped };
  } catch (error) {
    reservation.cancel();
    throw error;
  }
}
