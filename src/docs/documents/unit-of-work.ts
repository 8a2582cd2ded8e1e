import type { Pace } from '../../lib/pace.ts';
import type { ChangeFeed, NewChange, Sealer, SqlValue, Transaction, WrittenDocument } from '../../storage/index.ts';
import { collectionOfId } from './identity.ts';

/** A running transaction, with what its steps share. */
export interface UnitOfWork {
  readonly tx: Transaction;
  readonly feed: ChangeFeed;
  /** Unix seconds; the same time for everything that the transaction writes. */
  readonly now: number;
  readonly pace: Pace;
  /** Whether the bodies of revisions are stored as deltas if that is worthwhile (extreme mode). */
  readonly deltaRevisions?: boolean | undefined;
  /** How long versions of deleted documents are kept, in seconds; 0 or absent keeps none. */
  readonly deletedRetention?: number | undefined;
  /**
   * Encrypts the values of a collection, by its lowercased name. Returns undefined if they are stored unencrypted;
   * absent on servers without a key.
   */
  readonly sealerOf?: ((collection: string) => Sealer | undefined) | undefined;
}

/** Number of rows that one statement writes or deletes before the event loop may turn. */
const STEP = 64;

/** Rows of a table without large columns. */
const SMALL_ROWS_STEP = 512;

/**
 * Runs parts that write at most `rows` rows each, in order. If a statement is enough for each part, all are sent before
 * the first one has ended, which saves round trips to a server; other nodes wait for the end of a shared transaction. A
 * part must send its first statement when it is called.
 */
export async function inOrder({ tx }: UnitOfWork, rows: number,
  parts: readonly (() => Promise<unknown>)[]): Promise<void>
{
  if (rows <= stepOf(tx)) await together(parts.map((part) => part()));
  else for (const part of parts) await part();
}

/**
 * Returns all results. Rejects with a failure once all have ended, because statements that were sent must not outlast
 * their transaction.
 */
export async function together<T extends readonly unknown[]>(
  work: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const outcomes = await Promise.allSettled(work);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }) as unknown as T;
}

/** A shared transaction is one over a server, whose work does not hold the event loop. */
function stepOf({ isShared }: Transaction): number {
  return isShared ? Infinity : STEP;
}

/** As `runMany`, in steps. */
export async function runInSteps({ tx, pace }: UnitOfWork, sql: string,
  rows: readonly (readonly SqlValue[])[]): Promise<number>
{
  const step = stepOf(tx);
  let changes = 0;
  for (let i = 0; i < rows.length; i += step) {
    changes += (await tx.runMany(sql, rows.slice(i, i + step))).changes;
    if (pace.isDue) await pace.rest();
  }
  return changes;
}

/** Repeats a statement whose last placeholder limits how many rows it deletes, until no row is left. */
export async function deleteInSteps({ tx, pace }: UnitOfWork, sql: string, params: readonly SqlValue[]): Promise<void> {
  let deleted: number;
  do {
    deleted = (await tx.run(sql, [...params, SMALL_ROWS_STEP])).changes;
    if (pace.isDue) await pace.rest();
  } while (deleted === SMALL_ROWS_STEP);
}

/** A document as the change feed names it. */
interface Subject {
  readonly ord: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
}

/**
 * The document was written; `document` is its new state, when the writer has all of it in memory. The ordinal of a new
 * document may not be known yet.
 */
export function putChange({ ord, id, key, lang }: Omit<Subject, 'ord'> & { readonly ord?: number }, flags: number,
  document?: WrittenDocument): NewChange
{
  return {
    kind: 'doc.put',
    collection: collectionOfId(id),
    ord,
    docId: id,
    key,
    lang,
    flags,
    document,
  };
}

/** The document was removed; `reason` says why when no request removed it. */
export function deleteChange({ ord, id, key, lang }: Subject, reason?: 'ttl'): NewChange {
  const change: NewChange = { kind: 'doc.delete', collection: collectionOfId(id), ord, docId: id, key, lang };
  return reason === undefined ? change : { ...change, detail: JSON.stringify({ reason }) };
}
