import { createHash } from 'node:crypto';
import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { User } from '../sandbox/index.ts';

/** Bytes per read. */
const PIECE = 256 * 1024;

/**
 * Opens a file that the steps of a run have written, while no process of the run is alive. This process may have more
 * rights than the steps, so neither the file nor a folder in its path may be a link, and the file must belong to the
 * run's user if it has one. Throws a readable reason.
 */
export async function openInside(root: string, name: string, user: User | undefined): Promise<FileHandle> {
  const path = join(root, name);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(error.code === 'ELOOP' ? 'it is a link' : `it cannot be read (${error.code})`);
    },
  );
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error('it is no file');
    if (user !== undefined && stat.uid !== user.uid) throw new Error('it belongs to another user');
    if (await realpath(path) !== join(await realpath(root), name)) throw new Error('there is a link on the way to it');
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The bytes of an open file, from its beginning; the file stays open. */
export async function* bytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

export async function sha256Of(file: FileHandle): Promise<{ readonly size: number; readonly sha256: Buffer }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of bytesOf(file)) {
    hash.update(piece);
    size += piece.length;
  }
  return { size, sha256: hash.digest() };
}
