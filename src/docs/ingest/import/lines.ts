import { decodeUtf8, decodeUtf8Escaping } from '../../../lib/bytes.ts';
import { parseJsonInSteps } from '../../../lib/json-in-steps.ts';
import { type JsonLimits, JsonTooLarge } from '../../../lib/json-scanner.ts';
import { flattenIfNested } from '../../../text/flatten-meta.ts';
import type { BatchItem } from '../../documents/index.ts';

/** A line of a stream of bytes. */
export interface Line {
  /** Counted from 1, empty lines included. */
  readonly number: number;
  /** Bytes that are not UTF-8 become lone surrogates (`decodeUtf8Escaping`). Undefined for a line that is too long. */
  readonly text: string | undefined;
}

const LINE_FEED = 0x0a;

/**
 * The non-empty lines of a stream; each array contains the lines that one piece of the stream completes. A line with
 * more than `maxBytes` is not kept, so memory is limited for every input.
 */
export async function* linesOf(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line[]> {
  const unfinished = new Unfinished(maxBytes);
  let number = 0;
  for await (const piece of content) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const lines: Line[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      unfinished.add(bytes.subarray(start, end));
      lines.push({ number: ++number, text: unfinished.take() });
      start = end + 1;
    }
    unfinished.add(bytes.subarray(start));
    yield lines.filter(isNotEmpty);
  }
  yield [{ number: number + 1, text: unfinished.take() }].filter(isNotEmpty);
}

function isNotEmpty({ text }: Line): boolean {
  return text === undefined || text.trim() !== '';
}

/** The beginning of a line whose end has not arrived yet. */
class Unfinished {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  /** Returns the text of the line, and begins the next one. */
  take(): string | undefined {
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const isTooLong = this.#length > this.#maxBytes;
    this.#pieces = [];
    this.#length = 0;
    return isTooLong ? undefined : (decodeUtf8(bytes) ?? decodeUtf8Escaping(bytes));
  }
}

const SHOWN_MESSAGE = 200;
const SHOWN_PATH = 80;

/** Longer lines are parsed in steps, and may have as many values as the request for one document. */
const AT_ONCE = 64 * 1024;
const LIMITS: JsonLimits = { maxValues: 300_000, maxDepth: 64 };

interface LineOptions {
  /** Used for documents whose lines do not say it. */
  readonly saveRevision: boolean;
  /** Maximum number of bytes of a line. */
  readonly maxBytes: number;
}

/**
 * The batch item of a line. A line that cannot be parsed has the reason in the item, and fails alone. Fields that
 * documents do not have are ignored.
 */
export function toBatchItem({ text }: Line, options: LineOptions): BatchItem | Promise<BatchItem> {
  const { saveRevision, maxBytes } = options;
  if (text === undefined) return { saveRevision, refused: `the line is longer than ${maxBytes} bytes` };
  if (text.length > AT_ONCE) return longItem(text, options);
  try {
    return itemOf(JSON.parse(text), options);
  } catch (error) {
    return refusedItem(error, options);
  }
}

/** Parses in steps, because a line may be as long as the body of a request. */
async function longItem(text: string, options: LineOptions): Promise<BatchItem> {
  try {
    return itemOf(await parseJsonInSteps(Buffer.from(text), { limits: LIMITS, decode: (bytes) => bytes.toString() }),
      options);
  } catch (error) {
    return refusedItem(error, options);
  }
}

function refusedItem(error: unknown, { saveRevision }: LineOptions): BatchItem {
  const { message } = error as Error;
  return {
    saveRevision,
    refused: error instanceof JsonTooLarge ? `the line ${message}` : `invalid JSON: ${message.slice(0, SHOWN_MESSAGE)}`,
  };
}

function itemOf(value: unknown, { saveRevision }: LineOptions): BatchItem {
  if (!isObject(value)) return { saveRevision, refused: 'invalid JSON: a line must be an object' };
  const { key, lang, contentMd, meta, ttl, vectors, saveRevision: own = saveRevision } = value;
  const problem = problemOf(value);
  const refuse = (refused: string): BatchItem => ({ ...(typeof key === 'string' && { key }), saveRevision, refused });
  if (problem !== undefined) return refuse(problem);
  const flat = meta == null ? undefined : flattenIfNested(meta as Readonly<Record<string, unknown>>);
  if (flat?.infinite !== undefined) return refuse(`meta.${flat.infinite.slice(0, SHOWN_PATH)} must be a finite number`);
  return {
    key: key as string | undefined,
    lang: lang as string | undefined,
    contentMd: contentMd as string | undefined,
    meta: flat?.meta,
    ttl: ttl as number | undefined,
    vectors: vectors as BatchItem['vectors'],
    saveRevision: own as boolean,
  };
}

/** The fields with a wrong type; the writer checks everything else. */
function problemOf(
  { key, lang, contentMd, meta, ttl, vectors, saveRevision }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!isTextOrAbsent(key)) return 'key must be a string';
  if (!isTextOrAbsent(lang)) return 'lang must be a string';
  if (!isTextOrAbsent(contentMd)) return 'contentMd must be a string';
  if (ttl !== undefined && !Number.isSafeInteger(ttl)) return 'ttl must be an integer';
  if (saveRevision !== undefined && typeof saveRevision !== 'boolean') return 'saveRevision must be true or false';
  if (vectors != null && !isObject(vectors)) return 'vectors must be an object';
  return meta == null || isObject(meta) ? undefined : 'meta must be an object';
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
