import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, statSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Clock } from '../../lib/clock.ts';
import { makeFolder } from '../../lib/files.ts';
import type { CommitQueries, CommitRecorder } from '../../storage/index.ts';
import { BadEntry, entriesOf } from './entry.ts';
import { createSegment, HEADER, listSegments, pathOf, removeSegment, removeSegments, reopenAt, type SegmentBase,
  SegmentReader } from './segment.ts';
import type { Place } from './state.ts';

const sync = promisify(fdatasync);

interface BinlogOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** The oldest entries are removed when the binlog reaches this many bytes. */
  readonly maxBytes: number;
  /** Entries are removed after this many milliseconds. */
  readonly maxAgeMs: number;
}

/** The entries after a position are missing (now), or do not follow it. The caller needs a snapshot. */
export class BinlogGap extends Error {}

/** Consecutive entries, as they are stored. */
export interface BinlogPiece {
  readonly bytes: Buffer;
  readonly position: number;
  readonly lsn: number;
  readonly timestamp: bigint;
  readonly txnEnd: boolean;
}

interface Tail extends SegmentBase {
  /** Bytes of the segment that is being written. */
  readonly size: number;
}

const SELECT =
  'SELECT history, position, checksum, (SELECT coalesce(max(lsn), 0) FROM changes) AS lsn FROM replication';
const UPDATE = 'UPDATE replication SET position = ?, checksum = ?';

/**
 * The binlog of a leader: the rows that each commit changed, in files beside the database. An entry is written before
 * its commit, which also stores the entry's position in the database, so that a start detects entries of commits that
 * were never made. It is sent to followers when both are on disk.
 */
export class Binlog implements CommitRecorder {
  readonly #options: BinlogOptions;
  readonly #segmentBytes: number;
  #segments: number[] = [];
  /** Bytes of the segments before the last one. */
  #olderBytes = 0;
  #oldest: SegmentBase;
  #descriptor: number;
  #isClosed = false;
  #written: Tail;
  /** The position before the running commit; undefined when there is none. */
  #before: Tail | undefined;
  #published: SegmentBase;
  #began: number;
  #changed = Promise.withResolvers<void>();
  #pruning: Promise<void> | undefined;

  /**
   * Opens the binlog of a database with a position, and a feed that ends with a change. Entries that the database does
   * not know are removed.
   */
  constructor(options: BinlogOptions, place: Place, lsn: number) {
    this.#options = options;
    this.#segmentBytes = Math.min(32 * 2 ** 20, Math.floor(options.maxBytes / 8));
    this.#began = options.clock.now();
    makeFolder(options.folder, 0o700);
    const found = this.#recover(place, lsn);
    this.#descriptor = found?.descriptor ?? this.#begin({ ...place, lsn });
    this.#written = { ...place, lsn, size: found?.size ?? HEADER };
    this.#oldest = found?.oldest ?? this.#written;
    this.#published = this.#written;
  }

  /** The end of the last entry that followers may see. */
  get place(): SegmentBase {
    return this.#published;
  }

  /** Number of the oldest change that the binlog still contains; 0 when there is none. */
  get oldestLsn(): number {
    return this.#oldest.lsn < this.#published.lsn ? this.#oldest.lsn + 1 : 0;
  }

  get sizeBytes(): number {
    return this.#olderBytes + this.#written.size;
  }

  /** Resolves when there are more entries to read. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  prepare(queries: CommitQueries, patchset: Uint8Array): void {
    const row = queries.get(SELECT, []) as { history: string; position: number; checksum: number; lsn: number }
      | undefined;
    if (row === undefined) throw new Error('the database has lost its place in the binlog');
    // The database was replaced: these entries belong to another one.
    if (row.history !== this.#written.history) this.#restart({ ...row, lsn: row.lsn });
    this.#rotate();
    this.#before = this.#written;
    const timestamp = BigInt(this.#options.clock.now()) * 1_000_000n;
    const { bytes, position, checksum } = entriesOf(patchset, this.#written, row.lsn, timestamp);
    writeWhole(this.#descriptor, bytes, this.#written.size);
    this.#written = { history: row.history, position, checksum, lsn: row.lsn, size: this.#written.size + bytes.length };
    queries.run(UPDATE, [position, checksum]);
  }

  abandoned(): void {
    if (this.#before === undefined) return;
    this.#written = this.#before;
    this.#before = undefined;
    ftruncateSync(this.#descriptor, this.#written.size);
  }

  async sync(): Promise<void> {
    this.#before = undefined;
    if (this.#published !== this.#written) await sync(this.#descriptor);
  }

  durable(): void {
    this.#before = undefined;
    if (this.#published === this.#written) return;
    this.#published = this.#written;
    this.#notify();
    // the timer retries and reports it
    if (this.sizeBytes > this.#options.maxBytes && this.#segments.length > 1) this.prune().catch(() => undefined);
  }

  /**
   * Entries that follow a position, as they arrive, until the signal aborts. Yields undefined at first, when the
   * position is found, and whenever no entry arrived for `idle`. Reads one piece at a time, and the next when the
   * previous one was consumed. Throws `BinlogGap`.
   */
  async *follow(after: Place, signal: AbortSignal,
    idle: (signal: AbortSignal) => Promise<void>): AsyncGenerator<BinlogPiece | undefined>
  {
    let reader = await this.#seek(after);
    try {
      yield undefined;
      while (!signal.aborted) {
        const { changed } = this;
        if (this.#published.history !== after.history)
          throw new BinlogGap('the history of the binlog has ended: the database was replaced');
        const piece = reader.next(this.#published.position);
        if (piece !== undefined) {
          const { position, lsn, timestamp, txnEnd } = piece.last;
          yield { bytes: piece.bytes, position, lsn, timestamp, txnEnd };
        } else if (reader.position >= this.#published.position) {
          if (!(await comesFirst(changed, idle, signal))) yield undefined;
        } else {
          const { position } = reader;
          reader.close();
          reader = this.#open(position);
        }
      }
    } finally {
      reader.close();
    }
  }

  /** Removes segments beyond the limits, but never the one that is being written. */
  prune(): Promise<void> {
    return (this.#pruning ??= this.#prune().finally(() => (this.#pruning = undefined)));
  }

  async #prune(): Promise<void> {
    const { folder, maxBytes, maxAgeMs, clock } = this.#options;
    while (this.#segments.length > 1) {
      const [first, second] = this.#segments as [number, number];
      const { size, mtimeMs } = await stat(pathOf(folder, first));
      if (this.sizeBytes <= maxBytes && mtimeMs > clock.now() - maxAgeMs) return;
      const next = this.#open(second);
      this.#oldest = next.base;
      next.close();
      this.#segments.shift();
      this.#olderBytes -= size;
      await removeSegment(folder, first);
    }
  }

  /** May be called twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#descriptor);
  }

  /** Yields to the event loop while it searches for the position. */
  async #seek(after: Place): Promise<SegmentReader> {
    if (after.history !== this.#published.history)
      throw new BinlogGap(`the binlog is of history ${this.#published.history}, not ${after.history || 'none'}`);
    if (after.position > this.#published.position)
      throw new BinlogGap(`the binlog ends at ${this.#published.position}, before ${after.position}`);
    const base = this.#segments.findLast((position) => position <= after.position);
    if (base === undefined)
      throw new BinlogGap(`the binlog begins after ${this.#segments[0]}, and ${after.position} is too far behind`);
    const reader = this.#open(base);
    try {
      while (reader.next(after.position) !== undefined) await setImmediate();
      if (reader.position === after.position && reader.checksum === after.checksum) return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
    reader.close();
    throw new BinlogGap(`entry ${after.position} of the binlog is another one`);
  }

  #open(base: number): SegmentReader {
    try {
      return new SegmentReader(this.#options.folder, base);
    } catch (cause) {
      throw new BinlogGap(`the binlog after ${base} is gone`, { cause });
    }
  }

  /**
   * Finds the entry at the database's position and truncates the binlog after it; undefined, with nothing left, when
   * there is no such entry. Segments up to a damaged one are removed, because nobody could read on from them.
   */
  #recover(place: Place, lsn: number): { descriptor: number; size: number; oldest: SegmentBase } | undefined {
    const { folder } = this.#options;
    const all = listSegments(folder);
    const known = all.filter((position) => position <= place.position);
    // A crash may have torn a segment that was being begun. It follows the last entry, so the segment before is
    // complete.
    if (known.at(-1) === place.position && baseOf(folder, place.position) === undefined) known.pop();
    const own = known.slice(known.findLastIndex((position) => baseOf(folder, position) === undefined) + 1);
    const end = own.length === 0 ? undefined : endOf(folder, own.at(-1)!, place);
    if (end === undefined) {
      removeSegments(folder, all);
      return undefined;
    }
    removeSegments(folder, all.filter((position) => !own.includes(position)));
    this.#segments = own;
    this.#olderBytes = olderBytes(folder, own);
    const descriptor = reopenAt(folder, own.at(-1)!, end);
    return { descriptor, size: end, oldest: baseOf(folder, own[0]!) ?? { ...place, lsn } };
  }

  #restart(base: SegmentBase): void {
    removeSegments(this.#options.folder, this.#segments);
    this.#segments = [];
    this.#olderBytes = 0;
    this.#continueIn(this.#begin(base));
    this.#written = { ...base, size: HEADER };
    this.#oldest = this.#published = this.#written;
    this.#notify();
  }

  /** A segment also ends after an eighth of the maximum age, so that entries can be removed in time. */
  #rotate(): void {
    const { clock, maxAgeMs } = this.#options;
    const isOld = this.#written.size > HEADER && clock.now() - this.#began > maxAgeMs / 8;
    if (this.#written.size < this.#segmentBytes && !isOld) return;
    fdatasyncSync(this.#descriptor);
    const next = this.#begin(this.#written);
    this.#olderBytes += this.#written.size;
    this.#continueIn(next);
    const isPublished = this.#published === this.#written;
    this.#written = { ...this.#written, size: HEADER };
    if (isPublished) this.#published = this.#written;
  }

  /** If it throws, as on a full disk, nothing has changed. */
  #begin(base: SegmentBase): number {
    const descriptor = createSegment(this.#options.folder, base);
    this.#began = this.#options.clock.now();
    this.#segments.push(base.position);
    return descriptor;
  }

  /** The descriptor before is closed only when there is another: the system gives its number to other files. */
  #continueIn(descriptor: number): void {
    const before = this.#descriptor;
    this.#descriptor = descriptor;
    closeSync(before);
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }
}

/** The file may be longer than its valid part, so its end is not the position to write at. */
function writeWhole(descriptor: number, bytes: Buffer, at: number): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(descriptor, bytes, written, bytes.length - written, at + written);
}

/** The header of a segment; undefined when it is damaged. */
function baseOf(folder: string, segment: number): SegmentBase | undefined {
  let reader: SegmentReader | undefined;
  try {
    reader = new SegmentReader(folder, segment);
    return reader.base;
  } catch (error) {
    if (error instanceof BadEntry) return undefined;
    throw error;
  } finally {
    reader?.close();
  }
}

/** Offset after the entry of a position; undefined when the segment does not contain it. */
function endOf(folder: string, segment: number, { history, position, checksum }: Place): number | undefined {
  let reader: SegmentReader | undefined;
  try {
    reader = new SegmentReader(folder, segment);
    while (reader.next(position) !== undefined) continue;
    return reader.base.history === history && reader.position === position && reader.checksum === checksum
      ? reader.offset
      : undefined;
  } catch (error) {
    if (error instanceof BadEntry) return undefined;
    throw error;
  } finally {
    reader?.close();
  }
}

function olderBytes(folder: string, segments: readonly number[]): number {
  return segments.slice(0, -1).reduce((sum, position) => sum + statSync(pathOf(folder, position)).size, 0);
}

/** Whether a promise resolves before the idle time or the signal ends the wait. */
async function comesFirst(promise: Promise<void>, idle: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal): Promise<boolean>
{
  const over = new AbortController();
  try {
    return await Promise.race([promise.then(() => true), idle(AbortSignal.any([signal, over.signal])).then(() =>
      false
    )]);
  } finally {
    over.abort();
  }
}
