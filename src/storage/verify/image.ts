import { open, readFile, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import initSqlJs from 'sql.js';

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
