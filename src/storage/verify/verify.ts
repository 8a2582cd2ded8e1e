import { open, readFile, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import initSqlJs from 'sql.js';
import { askThread, workerFile } from '../../lib/thread-client.ts';

export interface Verdict {
  readonly ok: boolean;
  /** One sentence each; empty when `ok`. */
  readonly problems: readonly string[];
  /** The newest migration that was applied to the file; undefined when it has no `schema_version`. */
  readonly formatVersion: number | undefined;
}

export interface VerifyOptions {
  /**
   * Newest format that this build knows. When passed, a file without a format, or with a newer breaking one, is a
   * problem.
   */
  readonly knownFormat?: number;
}

export interface VerifyRequest extends VerifyOptions {
  readonly file: string;
}

/**
 * Checks a database file outside the event loop, without changing it or creating files beside it: that it is SQLite,
 * intact (`integrity_check`, `foreign_key_check`), of a known format, and that its change feed has no gap. A
 * write-ahead log beside the file is not read, because a backup is one file. All problems are reported in the verdict;
 * it rejects only if the check itself cannot run.
 */
export function verifyDatabaseFile(file: string, options: VerifyOptions = {}): Promise<Verdict> {
  return askThread<VerifyRequest, Verdict>(workerFile(import.meta.url, 'verify-thread'), { file, ...options }, {
    name: `the check of ${file}`,
  });
}

/** Files up to this size are opened inside WebAssembly, where a malicious file can do no harm. */
const ISOLATED_BYTES = 256 * 2 ** 20;

const MAGIC = 'SQLite format 3\0';

/** A database file opened for checks; it returns rows as arrays. */
export interface Image {
  rows(sql: string): readonly (readonly unknown[])[];
  close(): void;
}

/** Throws when the file cannot be read or is not SQLite at all. */
export async function openImage(file: string): Promise<Image> {
  if ((await firstBytes(file)) !== MAGIC) throw new Error('the file is not an SQLite database');
  return (await stat(file)).size <= ISOLATED_BYTES ? isolated(file) : inPlace(file);
}

async function firstBytes(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function isolated(file: string): Promise<Image> {
  const { Database } = await initSqlJs();
  const database = new Database(await readFile(file));
  return {
    rows: (sql) => database.exec(sql)[0]?.values ?? [],
    close: () => database.close(),
  };
}

/** `immutable` keeps SQLite from creating or reading side files. */
function inPlace(file: string): Image {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true });
  return {
    rows: (sql) => database.prepare(sql, { returnArrays: true }).all() as unknown as unknown[][],
    close: () => database.close(),
  };
}
