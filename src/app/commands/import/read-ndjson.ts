import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { flatMeta } from '../../../text/flatten-meta.ts';
import { urlKey } from '../../../text/url-key.ts';
import { CommandError } from '../shared/command-error.ts';
import { keyOfPath } from './read-folder.ts';
import type { Source, SourceDocument, SourceItem } from './source.ts';

type RowResult = { readonly kind: 'document'; readonly document: SourceDocument } | { readonly kind: 'problem';
  readonly problem: string } | { readonly kind: 'skipped' };

export interface RowOptions {
  /** The language of rows without one. */
  readonly lang: string;
  /** The current time, in Unix seconds. */
  readonly now: number;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Returns the document of one NDJSON row. Three forms are accepted, also mixed: an exported Document `{key, lang, meta,
 * contentMd, vectors?, expiresAt?}`, a parsed file `{path, lang, frontmatter, body}`, and a scraped page `{url, lang,
 * contentMd}` whose key is derived from its URL. A row whose `expiresAt` has passed is skipped. Other fields are
 * ignored, because rows come from many programs.
 */
function documentFromRow(row: unknown, { lang, now }: RowOptions): RowResult {
  if (!isObject(row)) return problem('expected a JSON object');
  const key = keyOfRow(row);
  if (key === undefined) return problem('no key: expected `key`, `path` or `url`');
  const contentMd = row.contentMd ?? row.body;
  if (typeof contentMd !== 'string') return problem('no text: expected `contentMd` or `body`');
  const meta = row.meta ?? row.frontmatter ?? {};
  if (!isObject(meta)) return problem(`${row.meta === undefined ? 'frontmatter' : 'meta'}: expected a JSON object`);
  const { vectors } = row;
  if (vectors != null && !isObject(vectors)) return problem('vectors: expected a JSON object');
  const ttl = ttlOfRow(row, now);
  if (ttl !== undefined && ttl <= 0) return { kind: 'skipped' };
  const ownLang = typeof row.lang === 'string' && row.lang !== '' ? row.lang : lang;
  return {
    kind: 'document',
    document: {
      key,
      lang: ownLang,
      contentMd,
      meta: withSource(flatMeta(meta), row),
      ttl,
      ...(vectors != null && { vectors }),
    },
  };
}

function keyOfRow(row: Row): string | undefined {
  if (isText(row.key)) return row.key;
  if (isText(row.path)) return keyOfPath(row.path);
  return isText(row.url) ? urlKey(row.url) : undefined;
}

/** Seconds until the document expires, zero or less if it has expired; undefined if it does not expire. */
function ttlOfRow(row: Row, now: number): number | undefined {
  if (typeof row.expiresAt === 'number' && row.expiresAt > 0) return Math.ceil(row.expiresAt - now);
  // A `ttl` of 0 means "never" in the contract.
  return typeof row.ttl === 'number' && row.ttl > 0 ? Math.ceil(row.ttl) : undefined;
}

/** The URL of a page becomes metadata, as with `/v1/ingest` (contract, section 2). */
function withSource(meta: SourceDocument['meta'], row: Row): SourceDocument['meta'] {
  return isText(row.url) && !Object.hasOwn(meta, 'source_url') ? { ...meta, source_url: [row.url] } : meta;
}

const problem = (text: string): RowResult => ({ kind: 'problem', problem: text });
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

interface NdjsonInput {
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

interface ByteOptions {
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
