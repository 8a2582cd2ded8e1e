import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, statSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Clock } from '../../lib/clock.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import type { CommitQueries, CommitRecorder } from '../../storage/index.ts';
import { BadEntry, entriesOf } from './entry.ts';
import { createSegment, HEADER, listSegments, pathOf, removeSegment, removeSegments, reopenAt, SegmentReader, type SegmentBase } from './segment.ts';
import type { Place } from './state.ts';

const sync = promisify(fdatasync);

export interface BinlogOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Bytes from which the oldest entries go. */
  readonly maxBytes: number;
  /** Milliseconds after which entries go. */
  readonly maxAgeMs: number;
}

/** The entries after a place are not there (any more), or are not those that follow it. Whoever asked needs a snapshot. */
export class BinlogGap extends Error {}

/** Entries that follow each other, as they are stored. */
export interface BinlogPiece {
  readonly bytes: Buffer;
  readonly position: number;
  readonly lsn: number;
  readonly timestamp: bigint;
  readonly txnEnd: boolean;
}

interface Tail extends SegmentBase {
  /** Bytes of the segment that is written to. */
  readonly size: number;
}

const SELECT = 'SELECT history, position, checksum, (SELECT coalesce(max(lsn), 0) FROM changes) AS lsn FROM replication';
const UPDATE = 'UPDATE replication SET position = ?, checksum = ?';

/**
 * The binlog of a leader: what each commit changed, row by row, in files beside the database. An entry is written before its commit
 * is made, which also stores its position in the database, so that a start knows which entries are of commits that never were. It
 * is told to followers when both are on disk.
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
  /** What the commit under way is written behind; undefined when there is none. */
  #before: Tail | undefined;
  #published: SegmentBase;
  #began: number;
  #changed = Promise.withResolvers<void>();
  #pruning: Promise<void> | undefined;

  /** Opens the binlog of a database that stands at a place and whose feed ends with a change. Entries that it does not know are removed. */
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

  /** Where the last entry that followers may see ends. */
  get place(): SegmentBase {
    return this.#published;
  }

  /** Number of the oldest change that the binlog can still tell of; 0 when there is none. */
  get oldestLsn(): number {
    return this.#oldest.lsn < this.#published.lsn ? this.#oldest.lsn + 1 : 0;
  }

  get sizeBytes(): number {
    return this.#olderBytes + this.#written.size;
  }

  /** Resolves when there is more to see. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  prepare(queries: CommitQueries, patchset: Uint8Array): void {
    const row = queries.get(SELECT, []) as { history: string; position: number; checksum: number; lsn: number } | undefined;
    if (row === undefined) throw new Error('the database has lost its place in the binlog');
    // The database was replaced: what is here belongs to another one.
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
    this.#tell();
    if (this.sizeBytes > this.#options.maxBytes && this.#segments.length > 1) this.prune().catch(() => undefined); // tried again, and told, by the timer
  }

  /**
   * Entries that follow a place, as they come, until the signal aborts; undefined at first, when the place is found, and whenever
   * none has come while `idle` took. Reads one piece at a time, and the next when the one before was taken. Throws `BinlogGap`.
   */
  async *follow(after: Place, signal: AbortSignal, idle: (signal: AbortSignal) => Promise<void>): AsyncGenerator<BinlogPiece | undefined> {
    let reader = await this.#seek(after);
    try {
      yield undefined;
      while (!signal.aborted) {
        const { changed } = this;
        if (this.#published.history !== after.history) throw new BinlogGap('the history of the binlog has ended: the database was replaced');
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

  /** Removes segments beyond the limits; never the one that is written to. */
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

  /** Safe twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#descriptor);
  }

  /** Lets the event loop turn while it reads up to where the place is. */
  async #seek(after: Place): Promise<SegmentReader> {
    if (after.history !== this.#published.history) throw new BinlogGap(`the binlog is of history ${this.#published.history}, not ${after.history || 'none'}`);
    if (after.position > this.#published.position) throw new BinlogGap(`the binlog ends at ${this.#published.position}, before ${after.position}`);
    const base = this.#segments.findLast((position) => position <= after.position);
    if (base === undefined) throw new BinlogGap(`the binlog begins after ${this.#segments[0]}, and ${after.position} is too far behind`);
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

  /** Finds the entry at which the database stands and cuts off what is behind it; undefined, with nothing left, when it is not there. */
  #recover(place: Place, lsn: number): { descriptor: number; size: number; oldest: SegmentBase } | undefined {
    const { folder } = this.#options;
    const all = listSegments(folder);
    const own = all.filter((position) => position <= place.position);
    const end = own.length === 0 ? undefined : endOf(folder, own.at(-1)!, place);
    if (end === undefined) {
      removeSegments(folder, all);
      return undefined;
    }
    removeSegments(folder, all.filter((position) => position > place.position));
    this.#segments = own;
    const bases = own.map((position) => new SegmentReader(folder, position));
    bases.forEach((reader) => reader.close());
    this.#olderBytes = olderBytes(folder, own);
    const descriptor = reopenAt(folder, own.at(-1)!, end);
    return { descriptor, size: end, oldest: bases[0]?.base ?? { ...place, lsn } };
  }

  #restart(base: SegmentBase): void {
    closeSync(this.#descriptor);
    removeSegments(this.#options.folder, this.#segments);
    this.#segments = [];
    this.#olderBytes = 0;
    this.#descriptor = this.#begin(base);
    this.#written = { ...base, size: HEADER };
    this.#oldest = this.#published = this.#written;
    this.#tell();
  }

  /** A segment also ends when an eighth of the longest age has passed, so that entries can go in time. */
  #rotate(): void {
    const { clock, maxAgeMs } = this.#options;
    const isOld = this.#written.size > HEADER && clock.now() - this.#began > maxAgeMs / 8;
    if (this.#written.size < this.#segmentBytes && !isOld) return;
    fdatasyncSync(this.#descriptor);
    closeSync(this.#descriptor);
    this.#olderBytes += this.#written.size;
    this.#descriptor = this.#begin(this.#written);
    const isPublished = this.#published === this.#written;
    this.#written = { ...this.#written, size: HEADER };
    if (isPublished) this.#published = this.#written;
  }

  #begin(base: SegmentBase): number {
    this.#began = this.#options.clock.now();
    this.#segments.push(base.position);
    return createSegment(this.#options.folder, base);
  }

  #tell(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }
}

/** The file may be longer than what counts, so the end of it does not say where to write. */
function writeWhole(descriptor: number, bytes: Buffer, at: number): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written, bytes.length - written, at + written);
}

/** Offset behind the entry of a place; undefined when the segment does not hold it. */
function endOf(folder: string, segment: number, { history, position, checksum }: Place): number | undefined {
  let reader: SegmentReader | undefined;
  try {
    reader = new SegmentReader(folder, segment);
    while (reader.next(position) !== undefined) continue;
    return reader.base.history === history && reader.position === position && reader.checksum === checksum ? reader.offset : undefined;
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
async function comesFirst(promise: Promise<void>, idle: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  try {
    return await Promise.race([promise.then(() => true), idle(AbortSignal.any([signal, over.signal])).then(() => false)]);
  } finally {
    over.abort();
  }
}
