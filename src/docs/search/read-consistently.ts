import { systemTimer } from '../../lib/clock.ts';
import { Answers, gathered } from '../../search/parts/index.ts';
import { inList, type Queries } from '../../storage/index.ts';

/** A view of the change feed that a search reads. */
export interface FollowingView {
  /** Number of the last change that it has applied; undefined while it does not follow. */
  readonly position: number | undefined;
  caughtUp(signal?: AbortSignal): Promise<void>;
}

/** What a search reads one after the other. */
export interface Sources {
  readonly sql: Queries;
  /** The views of documents. */
  readonly views: readonly FollowingView[];
  /** The view of their vectors, if those are searched. */
  readonly vectors?: FollowingView | undefined;
  /** Whether no change follows one. */
  readonly isLatest: (lsn: number) => boolean;
  /** Whether all documents are read again when one has changed. */
  readonly isWhole?: boolean;
  readonly signal: AbortSignal;
}

/** One time at which all sources are read. */
export interface Look {
  /** The only documents that are read, because they changed since they were read before; undefined for all. */
  readonly only: ReadonlySet<number> | undefined;
  /** Those of some documents that changed since they were read: their values may be from different versions. */
  changed(ords: readonly number[]): Promise<ReadonlySet<number>>;
}

/** Positions of the views at one moment: the least of those of documents, and that of vectors. */
interface Positions {
  readonly documents: number | undefined;
  readonly vectors: number | undefined;
}

/** How often changed documents are read again, and the milliseconds of each wait for the views. */
const LOOKS = 5;
const TIMEOUT_MS = 250;
/** Ordinals looked up by one statement. */
const STEP = 256;
const NONE: ReadonlySet<number> = new Set();

/**
 * Reads documents in one consistent state each, although filters, indexes and rows are read one after the other: those
 * that change in the meantime are read again. One that never stops changing stays as it was read last. `read` returns
 * the documents that changed, and is called again with the answers of parts of indexes that are elsewhere.
 */
export async function readConsistently(sources: Sources,
  read: (look: Look) => Promise<ReadonlySet<number>>): Promise<void>
{
  const { views, vectors, isLatest, isWhole = false, signal } = sources;
  /** Of the views before the first look, and for documents that were read again. */
  let first: Positions | undefined;
  const later = new Map<number, Positions>();
  let only: ReadonlySet<number> | undefined;
  for (let looks = 1;; looks++) {
    signal.throwIfAborted();
    const positions: Positions = {
      documents: leastOf(views.map(({ position }) => position)),
      vectors: vectors?.position,
    };
    if (first === undefined || isWhole) first = positions;
    else for (const ord of only ?? []) later.set(ord, positions);
    const start = leastOf([first.documents, first.vectors]);
    const positionsOf = (ord: number): Positions => later.get(ord) ?? first!;
    // What parts elsewhere have said was of the state before.
    if (looks > 1) Answers.current?.forget();
    const torn = await gathered(() =>
      read({
        only,
        changed: (ords) => (looks === LOOKS || start === undefined || isLatest(start)
          ? Promise.resolve(NONE)
          : changedSince(sources.sql, start, ords, positionsOf)),
      })
    );
    if (torn.size === 0) return;
    only = torn;
    await caughtUp(vectors === undefined ? views : [...views, vectors], signal);
  }
}

function leastOf(positions: readonly (number | undefined)[]): number | undefined {
  return positions.reduce(
    (least, position) => (least === undefined || (position !== undefined && position < least) ? position : least),
    undefined,
  );
}

/** The documents that have changes after what was certainly included in their last look. */
async function changedSince(sql: Queries, start: number, ords: readonly number[],
  positionsOf: (ord: number) => Positions): Promise<ReadonlySet<number>>
{
  const changed = new Set<number>();
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await sql.all<{ ord: number; kind: string; lsn: number }>(
      `SELECT ord, kind, max(lsn) AS lsn FROM changes
       WHERE lsn > ? AND kind IN ('doc.put', 'doc.delete', 'vectors.put') AND ord IN (${marks}) GROUP BY ord, kind`,
      [start, ...params],
    );
    for (const { ord, kind, lsn } of rows) {
      const { documents, vectors } = positionsOf(ord);
      if (lsn > ((kind === 'vectors.put' ? vectors : documents) ?? Infinity)) changed.add(ord);
    }
  }
  return changed;
}

/** Waits until views include all writes, but not for long, because a document of many megabytes may delay them. */
async function caughtUp(views: readonly FollowingView[], signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([Promise.all(views.map((view) => view.caughtUp(signal))),
      systemTimer.sleep(TIMEOUT_MS, over.signal)]);
  } finally {
    over.abort();
  }
}
