import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { WikiDumpError } from '../../../convert/wiki/index.ts';
import { Bzip2Decoder, Bzip2Error } from '../../../kernels/bzip2.ts';

/**
 * The XML of a dump, unpacked if necessary: bzip2 and gzip are recognized by their first bytes, because file names and
 * content types are often wrong. A piece of the source is read completely before the next is requested. The returned
 * pieces are views that are valid until the next one is requested.
 * @throws {WikiDumpError}
 */
export async function* unpack(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { first, all } = await peek(source);
  if (first.length === 0) throw new WikiDumpError('the dump is empty');
  if (first.subarray(0, 3).equals(Buffer.from('BZh'))) yield* unpackBzip2(all);
  else if (first[0] === 0x1f && first[1] === 0x8b) yield* unpackGzip(all);
  else yield* all;
}

/** The first bytes, and an iterable over all bytes. */
async function peek(source: AsyncIterable<Uint8Array>): Promise<{ first: Buffer; all: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  let first: Buffer = Buffer.alloc(0);
  while (first.length < 3) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    first = Buffer.concat([first, value]);
  }
  const rest = { [Symbol.asyncIterator]: () => iterator };
  return { first, all: joined(first, rest) };
}

async function* joined(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  yield* rest;
}

async function* unpackBzip2(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new Bzip2Decoder();
  try {
    for await (const bytes of source) yield* decoder.unpack(bytes);
    yield* decoder.end();
  } catch (error) {
    if (error instanceof Bzip2Error) throw new WikiDumpError(`the dump ${error.message}`, { cause: error });
    throw error;
  }
}

/** Copies, because streams read ahead, when an earlier piece may be invalid already. */
async function* copies(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) yield Uint8Array.from(bytes);
}

async function* unpackGzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const input = Readable.from(copies(source), { objectMode: false });
  input.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const piece of input.pipe(gunzip)) yield piece as Buffer;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw new WikiDumpError('the dump is cut off', { cause: error });
    if (code.startsWith('Z_')) throw new WikiDumpError('the dump is damaged', { cause: error });
    throw error;
  } finally {
    input.destroy();
  }
}
