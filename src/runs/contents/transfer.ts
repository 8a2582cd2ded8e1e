import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { FleetRefusal } from '../fleet/port.ts';

const HASH_BYTES = 32;
/** Most bytes of one message of the fleet protocol. */
const MAX_CHUNK = 1 << 20;

/** What a ship announces before it sends bytes. */
export interface Announced {
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** A message of an upload. */
export interface ContentPart {
  readonly body: { readonly case: 'chunk'; readonly value: Uint8Array } | { readonly case: 'description' | undefined };
}

/** Throws a `FleetRefusal` for a size or a hash that no file has. */
export function readAnnounced({ size, sha256 }: { readonly size: bigint; readonly sha256: Uint8Array }): Announced {
  if (sha256.length !== HASH_BYTES) throw refusal(`sha256 must have ${HASH_BYTES} bytes, got ${sha256.length}`);
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw refusal('size is too large');
  return { size: Number(size), sha256: Buffer.from(sha256).toString('hex') };
}

/**
 * Writes the bytes that follow to a file and flushes it to disk; calls `wrote` with the number of bytes of each write.
 * Throws a `FleetRefusal` if they are not the announced bytes.
 */
export async function writeContent(file: FileHandle, parts: AsyncIterator<ContentPart>, { size, sha256 }: Announced,
  wrote: (bytes: number) => void): Promise<void>
{
  const hash = createHash('sha256');
  let written = 0;
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const { body } = next.value;
    if (body.case !== 'chunk') throw refusal('the parts after the description must be chunks');
    if (body.value.length > MAX_CHUNK)
      throw refusal(`a chunk must have at most ${MAX_CHUNK} bytes, got ${body.value.length}`);
    written += body.value.length;
    if (written > size) throw refusal(`the file has more than the ${size} bytes that were announced`);
    hash.update(body.value);
    await file.writeFile(body.value);
    wrote(body.value.length);
  }
  if (written !== size) throw refusal(`the file has ${written} bytes, ${size} were announced`);
  if (hash.digest('hex') !== sha256) throw refusal('the bytes do not have the hash that was announced');
  await file.sync();
}

const refusal = (message: string): FleetRefusal => new FleetRefusal('invalid_argument', message);

/** A content in pieces that fit in messages to ships. */
export async function* piecesOf(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    for (let at = 0; at < piece.length; at += MAX_CHUNK) yield piece.subarray(at, at + MAX_CHUNK);
  }
}
