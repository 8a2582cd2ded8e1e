import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../shared/command-error.ts';
import { documentFromRow, type RowOptions } from './document-from-row.ts';
import type { Source, SourceItem } from './source.ts';

export interface NdjsonInput {
  /** A file name, or `standard input`. */
  readonly name: string;
  /** Bytes of the input as stored; undefined if not known. */
  readonly size: number | undefined;
  open(): Readable;
}

/**
 * Documents from newline-delimited JSON, plain or gzip: one object on each line, in the forms of `documentFromRow`. An
 * invalid line is reported as a problem; the others are read.
 */
export function ndjsonSource(input: NdjsonInput, options: RowOptions): Source {
  return {
    name: input.name,
    unit: 'bytes',
    total: input.size,
    async *items(signal) {
      let position = 0;
      const bytes = readBytes(input.open(), { name: input.name, signal, onRead: (read) => (position += read) });
      for await (const line of readLines(bytes, input.name)) {
        yield { ...itemOfLine(line, options), origin: `line ${line.number} of ${input.name}`, position };
      }
    },
  };
}

type LineItem = SourceItem extends infer Item ? (Item extends unknown ? Omit<Item, 'origin' | 'position'> : never)
  : never;

function itemOfLine({ number, bytes }: Line, options: RowOptions): LineItem {
  const text = bytes.toString('utf8');
  let row: unknown;
  try {
    row = JSON.parse(number === 1 ? text.replace(/^\ufeff/, '') : text);
  } catch (error) {
    return { kind: 'problem', problem: `not JSON: ${(error as Error).message}` };
  }
  const result = documentFromRow(row, options);
  return result.kind === 'document' ? { ...result, sanitized: !isUtf8(bytes), notes: [] } : result;
}

interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Without its line end. */
  readonly bytes: Buffer;
}

// A line is one document; the service accepts bodies of 32 MiB by default.
const MAX_LINE = 64 * 2 ** 20;
const NEWLINE = 0x0a;

/**
 * Splits chunks into lines at `\n` only: JSON text may contain U+2028 and similar characters, at which readline would
 * split. Blank lines are counted but not returned. At most one line is in memory.
 * @throws {CommandError} for a line that is longer than `maxBytes`.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, name: string,
  maxBytes = MAX_LINE): AsyncGenerator<Line>
{
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const bytes = Buffer.concat([...pending, chunk.subarray(start, end)]);
      if (!isBlank(bytes)) yield { number, bytes };
      [pending, pendingBytes, start] = [[], 0, end + 1];
      number++;
    }
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > maxBytes) {
      throw new CommandError(
        `line ${number} of ${name} is longer than ${maxBytes} bytes: is it one JSON object a line?`,
      );
    }
  }
  const last = Buffer.concat(pending);
  if (!isBlank(last)) yield { number, bytes: last };
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

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
