import type { FileHandle } from 'node:fs/promises';
import type { S3mini } from 's3mini';

/**
 * Parts in which files are put and read: at least 5 MiB, and at most 10,000 of them, so that a file may have 80 GiB.
 */
export const PART_BYTES = 8 * 2 ** 20;

/**
 * Puts an object in parts, of which one at a time is in memory; in one request where one part is enough. `read` is
 * called once for each part, in order.
 */
export async function putInParts(client: S3mini, path: string, size: number,
  read: (at: number, length: number) => Promise<Uint8Array>): Promise<void>
{
  if (size <= PART_BYTES) {
    await (await client.putObject(path, await read(0, size))).body?.cancel();
    return;
  }
  const upload = await client.getMultipartUploadId(path, 'application/octet-stream');
  try {
    const parts = [];
    for (let at = 0; at < size; at += PART_BYTES)
      parts.push(
        await client.uploadPart(path, upload, await read(at, Math.min(PART_BYTES, size - at)), parts.length + 1),
      );
    await client.completeMultipartUpload(path, upload, parts);
  } catch (error) {
    // What is left of it takes storage, but is no object.
    await client.abortMultipartUpload(path, upload).catch(() => undefined);
    throw error;
  }
}

/** Reads exactly these bytes of a file. Throws when the file has become shorter. */
export async function readPart(file: Pick<FileHandle, 'read'>, at: number, length: number): Promise<Uint8Array> {
  const part = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(part, done, length - done, at + done);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    done += bytesRead;
  }
  return part;
}
