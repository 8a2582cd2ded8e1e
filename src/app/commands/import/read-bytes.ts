import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../shared/command-error.ts';

export interface ByteOptions {
  /** Names the stream in messages. */
  readonly name: string;
  /** Ends the reading, even while it waits for input. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes of each chunk as it is read, before decompression. */
  readonly onRead?: (bytes: number) => void;
}

/**
 * The bytes of a stream, decompressed if they begin like gzip, whatever the name of the file. After the signal aborts
 * it ends without an error.
 * @throws {CommandError} if the stream cannot be read, or its gzip data are damaged or cut off.
 */
export async function* readBytes(stream: Readable, { name, signal, onRead }: ByteOptions): AsyncGenerator<Buffer> {
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) return;
    const { head, rest } = await readHead(counted(stream, onRead));
    yield* isGzip(head) ? gunzip(joined(head, rest)) : joined(head, rest);
  } catch (error) {
    // Destroying the stream makes its reader fail, which ends the wait for input.
    if (signal.aborted) return;
    throw new CommandError(`cannot read ${name}: ${(error as Error).message}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}

/** Collects enough bytes to recognise gzip: two, which a pipe may deliver one by one. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<{ head: Buffer; rest: AsyncIterator<Buffer> }> {
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  return { head, rest: chunks };
}

async function* joined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* counted(stream: Readable, onRead: ((bytes: number) => void) | undefined): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    onRead?.(bytes.length);
    yield bytes;
  }
}

function gunzip(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  // An error of either stream ends the other, and reaches the reader of the last one.
  return pipeline(Readable.from(bytes), createGunzip(), () => undefined);
}

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;
