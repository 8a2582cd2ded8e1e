import { stat } from 'node:fs/promises';

/** Bytes of a database file and its write-ahead log. */
export async function sizeOfFiles(path: string): Promise<number> {
  const [database, log] = await Promise.all(
    [path, `${path}-wal`].map((file) => stat(file).then((found) => found.size, () => 0)),
  );
  return database! + log!;
}
