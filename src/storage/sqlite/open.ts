import { closeSync, existsSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../errors/index.ts';
import { makeFolder } from '../../lib/files.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { defineOpeners, layViews, type ViewHost } from '../encryption/reading-views.ts';
import { Connection } from './connection.ts';
import { openError, resultCode } from './failures.ts';

const MIB = 2 ** 20;

/** Pages are cached per connection: 64 MiB for the writer and the main reader, less for the others. */
const COMMON = `
  PRAGMA busy_timeout = 5000;
  PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -65536;
  PRAGMA temp_store = MEMORY;`;

/**
 * A commit does not wait for the disk (`synchronous = NORMAL`), its acknowledgement does (`writer-engine.ts`).
 * Checkpoints are made in the worker thread (`checkpoints.ts`); the writer makes one itself, and stalls for it, only
 * when the log has grown to 64 MiB because that thread is behind or a reader needs the log. The limit returns disk
 * space after a large transaction.
 */
const WRITER = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 16384;
  PRAGMA journal_size_limit = ${64 * MIB};`;

/** Reading through the system's page cache saves a copy of each page. */
const READER = `
  PRAGMA query_only = ON;
  PRAGMA mmap_size = ${256 * MIB};`;

/** Creates the folder (0700) and an empty file (0600) when they are absent; SQLite's side files get the same mode. */
export function prepareFile(file: string): void {
  try {
    makeFolder(dirname(file), 0o700);
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  } catch (cause) {
    throw openError(file, cause);
  }
}

export interface WriterOptions {
  readonly overwriteDeleted?: boolean;
  /** Milliseconds that a statement waits for another connection's lock; default 5,000. */
  readonly busyTimeoutMs?: number | undefined;
}

/** With encryption, deleted and replaced content is overwritten, because it may be the earlier plaintext. */
export function openWriter(file: string, { overwriteDeleted = false, busyTimeoutMs }: WriterOptions = {}): Connection {
  const further = [...(overwriteDeleted ? ['PRAGMA secure_delete = ON;'] : []),
    ...(busyTimeoutMs === undefined ? [] : [`PRAGMA busy_timeout = ${Math.round(busyTimeoutMs)};`])];
  return openWith(file, COMMON + WRITER + further.join(''));
}

/** A connection for checkpoints: what it copies is on disk before the log may be reused. */
export function openCheckpointer(file: string): Connection {
  return openWith(file, 'PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;');
}

/** With keys, the connection finds encrypted values decrypted (`layViews`). */
export function openReader(file: string, keys?: KeyRing): Connection {
  return openWith(file, COMMON, (database) => {
    if (keys !== undefined) openSealedValues(database, keys);
    database.exec(READER);
  });
}

/** A connection for one `VACUUM`: its copy of the database is written to a file, because it may not fit into memory. */
export function openCompactor(file: string): Connection {
  return openWith(file,
    'PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = FILE;');
}

function openSealedValues(database: DatabaseSync, keys: KeyRing): void {
  const host: ViewHost = {
    exec: (sql) => database.exec(sql),
    column: (sql) =>
      (database.prepare(sql, { returnArrays: true }).all() as unknown as string[][]).map(([value]) => value!),
    define: (name, fn) => database.function(name, { deterministic: true }, fn as never),
  };
  defineOpeners(host, keys);
  layViews(host);
}

function openWith(file: string, pragmas: string, prepare?: (database: DatabaseSync) => void): Connection {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 5000 });
    database.exec(pragmas);
    prepare?.(database);
    return new Connection(database);
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw openError(file, cause);
  }
}

/** Bytes of a database file and its write-ahead log. */
export async function sizeOfFiles(path: string): Promise<number> {
  const [database, log] = await Promise.all(
    [path, `${path}-wal`].map((file) => stat(file).then((found) => found.size, () => 0)),
  );
  return database! + log!;
}

const BUSY = 5;

/**
 * Keeps other processes away from a database file: an exclusive transaction held open on a second database beside it.
 * The operating system releases the lock when the process ends, however it ends. (SQLite's own exclusive locking mode
 * would also lock out our own reading connections.)
 */
export class FileLock {
  readonly #holder: DatabaseSync;

  private constructor(holder: DatabaseSync) {
    this.#holder = holder;
  }

  /** Throws `unavailable` when another process, or another database of this one, holds the lock. */
  static take(file: string): FileLock {
    let holder: DatabaseSync | undefined;
    try {
      holder = new DatabaseSync(`${file}.lock`, { timeout: 0 });
      holder.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return new FileLock(holder);
    } catch (cause) {
      holder?.close();
      if (resultCode(cause) !== BUSY) throw openError(file, cause);
      throw new ServiceError('unavailable', `database ${file} is in use by another process; stop that process first`, {
        cause,
      });
    }
  }

  release(): void {
    if (this.#holder.isOpen) this.#holder.close();
  }
}
