import { formatByteSize } from '../../lib/byte-size.ts';
import { Loop } from '../../lib/loop.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { ContentStore } from './content-store.ts';
import { type Announced, type ContentPart, writeContent } from './transfer.ts';

/** Time between two searches for contents that are no longer kept. */
const SWEEP_MS = 60_000;

interface RowContentsOptions {
  readonly env: RunsEnvironment;
  readonly store: ContentStore;
  /** Whether a row of the table names this content. */
  readonly isReferenced: (from: Queries, sha256: string) => Promise<boolean>;
  /** Called once a minute, to remove rows that are no longer kept; the text of its failures. */
  readonly sweep: (signal: AbortSignal) => Promise<void>;
  readonly failure: string;
}

/** What `receive` returns if the disk has no room. */
interface NoRoom {
  readonly status: 'over_limit';
  readonly message: string;
}

/** Gives a content its name, or leaves the one that has it: until the transaction ends, no server removes it. */
export type Place = (tx: Transaction) => Promise<void>;

/**
 * Contents that rows of a table name. Rows and contents change together, one change at a time; contents without rows
 * are removed. Several servers over one store have one database, which can lock the name of a content: in the
 * transaction that adds its row, and in the one that looks for rows and removes it.
 */
export class RowContents {
  readonly #options: RowContentsOptions;
  readonly #room: DiskRoom;
  readonly #sweeping: Loop;
  #changing: Promise<unknown> = Promise.resolve();
  #hasSwept = false;

  constructor(options: RowContentsOptions) {
    this.#options = options;
    const { env: { config, timer, log }, store, failure } = options;
    this.#room = new DiskRoom({ free: () => store.freeBytes(), least: () => config.current().config.storage.reserve });
    this.#sweeping = new Loop({ name: 'contents', everyMs: SWEEP_MS, timer, log, failure },
      (signal) => this.#sweep(signal));
  }

  /** Opens the store, and starts removing what is no longer kept. */
  async start(): Promise<void> {
    await this.#options.store.open();
    this.#sweeping.start();
  }

  /** Closes the store when all changes so far are over. */
  async stop(): Promise<void> {
    await this.#sweeping.stop();
    await this.#changing;
    await this.#options.store.close();
  }

  /**
   * Writes announced bytes, and then calls `keep` to add their row. Its transaction must call `place` before anything
   * else. Returns what `keep` returns, or why the disk has no room for the bytes.
   */
  async receive<T>(parts: AsyncIterator<ContentPart>, announced: Announced,
    keep: (place: Place) => Promise<T>): Promise<T | NoRoom>
  {
    const room = await this.#room.reserve(announced.size);
    if (typeof room === 'string') return { status: 'over_limit', message: room };
    try {
      return await this.#write(parts, announced, room, keep);
    } finally {
      room.release();
    }
  }

  async #write<T>(parts: AsyncIterator<ContentPart>, announced: Announced, { wrote }: ReservedRoom,
    keep: (place: Place) => Promise<T>): Promise<T>
  {
    const { store } = this.#options;
    const { sha256 } = announced;
    const { file, path } = await store.begin();
    try {
      try {
        await writeContent(file, parts, announced, wrote);
      } finally {
        await file.close();
      }
      await store.stage(path, sha256);
      return await this.oneByOne(async () => {
        if (this.#isAlone) await store.keep(path, sha256);
        return keep(async (tx) => {
          if (this.#isAlone) return;
          await tx.lock(lockOf(sha256));
          await store.keep(path, sha256);
        });
      });
    } catch (error) {
      await store.discard(path);
      throw error;
    }
  }

  /**
   * Must be called within `oneByOne`, after rows that named them are deleted: removes those that no other row names.
   */
  async forget(hashes: Iterable<string>): Promise<void> {
    const { env: { sql }, store, isReferenced } = this.#options;
    for (const sha256 of new Set(hashes)) {
      if (await isReferenced(sql, sha256)) continue;
      if (this.#isAlone) await store.remove(sha256);
      else await this.#removeUnlessReferenced(sha256);
    }
  }

  /** Looks again: another server may be adding a row. */
  async #removeUnlessReferenced(sha256: string): Promise<void> {
    const { env: { sql }, store, isReferenced } = this.#options;
    await sql.transaction(async (tx) => {
      await tx.lock(lockOf(sha256));
      if (!await isReferenced(tx, sha256)) await store.remove(sha256);
    }, { isolation: 'read committed' });
  }

  /**
   * Without other servers `oneByOne` suffices, and no transaction, which others would wait for, has to wait for the
   * store.
   */
  get #isAlone(): boolean {
    return this.#options.env.sql.peers === undefined;
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const isFirst = !this.#hasSwept;
    this.#hasSwept = true;
    if (isFirst) await this.#removeUnreferenced(signal);
    await this.#options.sweep(signal);
  }

  /** Removes contents without rows: a process that died between the two steps has left them. */
  async #removeUnreferenced(stopping: AbortSignal): Promise<void> {
    const { env: { sql }, store, isReferenced } = this.#options;
    for await (const sha256 of store.hashes()) {
      if (stopping.aborted) return;
      if (!await isReferenced(sql.background, sha256)) await this.oneByOne(() => this.forget([sha256]));
    }
  }

  oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#changing.then(work);
    this.#changing = turn.catch(() => undefined);
    return turn;
  }
}

const lockOf = (sha256: string): string => `content ${sha256}`;

interface DiskRoomOptions {
  /** Free bytes on the disk. */
  readonly free: () => Promise<number>;
  /** Bytes that must stay free. */
  readonly least: () => number;
}

/** Room that was reserved for a content. */
interface ReservedRoom {
  /** Says that bytes of it were written, so that the disk counts them. */
  wrote(bytes: number): void;
  /** Releases what was not written. */
  release(): void;
}

/**
 * The room on the disk for contents that arrive at one server at the same time: what one has reserved and not written
 * yet, no other one gets.
 */
class DiskRoom {
  readonly #options: DiskRoomOptions;
  #reserved = 0;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  /** Reserves room for a content of this size, or returns why the disk has none. */
  async reserve(size: number): Promise<ReservedRoom | string> {
    const least = this.#options.least();
    const onDisk = await this.#options.free();
    const free = Math.max(0, onDisk - this.#reserved);
    if (free - size < least)
      return `the disk of the server has ${formatByteSize(free)} left, of which ${
        formatByteSize(least)
      } are reserved (storage.reserve)`;
    let left = size;
    const wrote = (bytes: number): void => {
      left -= bytes;
      this.#reserved -= bytes;
    };
    this.#reserved += size;
    return { wrote, release: () => wrote(left) };
  }
}
