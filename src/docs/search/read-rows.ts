import { crc32 } from 'node:zlib';
import type { AnswerBudget } from '../../operations/index.ts';
import type { BodyCodec, Queries, Row } from '../../storage/index.ts';
import type { DocumentColumns } from './present.ts';

/** Metadata and bodies of at most this many bytes are read with the row; larger ones are read one at a time. */
const INLINE_BYTES = 64 * 1024;

/**
 * Bytes that one answer may read when it is made from contents that it does not contain whole, such as bodies with
 * highlights.
 */
const LOOKED_AT_BYTES = 64 * 2 ** 20;

/** What a row needs, so that its content can be read with it or later. */
export interface ContentRow extends Row {
  readonly ord: number;
  /** Length of the body as UTF-8. */
  readonly bytes: number;
  /** CRC-32 of the body. */
  readonly crc: number;
  /** Timestamp of the newest revision. */
  readonly rev_ts: number;
  readonly meta_bytes: number;
  /** NULL until it is read. */
  meta: string | null;
  /** NULL until it is read, and if no bodies are read. */
  body: Uint8Array | null;
}

/** A document as a result shows it. */
export interface ResultRow extends ContentRow, DocumentColumns {}

export interface ContentOptions {
  readonly withBodies: boolean;
  /** False if the answer shows no metadata: rows then have none. Absent means true. */
  readonly withMeta?: boolean;
  /** Maximum number of bytes of metadata and bodies together, not counting the first row. */
  readonly mostBytes: number;
}

/**
 * What an answer may read: the bodies that it contains count against its budget; if it shows only parts of them, it may
 * read more.
 */
export function contentsFor({ left }: AnswerBudget, withBodies: boolean, carriesBodies: boolean): ContentOptions {
  return { withBodies, mostBytes: carriesBodies ? left : Math.max(left, LOOKED_AT_BYTES) };
}

/** Columns of a `ContentRow` of the table `d`, without its `ord`, for a row whose content is not to be read. */
const WITHOUT_CONTENT = 'd.bytes, d.crc, d.rev_ts, 0 AS meta_bytes, NULL AS meta, NULL AS body';

/** The same for a row that is complete without content. */
const WITHOUT_ANY = "d.bytes, d.crc, d.rev_ts, 0 AS meta_bytes, '{}' AS meta, NULL AS body";

/**
 * Reads the contents of rows in their order, and no more than an answer can use: the memory for a page of large
 * documents is limited, however many documents were requested. Select `columns` from the table `d`, then call `take`
 * for each row.
 */
export class ContentReader {
  readonly columns: string;
  readonly #queries: Queries;
  readonly #withBodies: boolean;
  #left: number;
  #isFirst = true;
  #isSpent = false;

  constructor(queries: Queries, { withBodies, withMeta = true, mostBytes }: ContentOptions) {
    this.columns = withMeta || withBodies ? columnsOf(withBodies) : WITHOUT_ANY;
    this.#queries = queries;
    this.#withBodies = withBodies;
    this.#left = mostBytes;
  }

  /** Whether a row exceeded the limit; no more content is read then. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Completes a row. Returns false if its content exceeds the limit or was removed meanwhile. */
  async take<R extends ContentRow>(row: R): Promise<boolean> {
    if (!this.#fits(row)) {
      row.meta = row.body = null;
      return false;
    }
    if (row.meta !== null) return true;
    // Includes the columns that identify the version: the document may have been replaced since the row was read.
    const columns = `updated_at, rev_ts, crc, bytes, meta, ${this.#withBodies ? 'body' : 'NULL AS body'}`;
    const content = await this.#queries.get<{ meta: string; body: Uint8Array | null }>(
      `SELECT ${columns} FROM documents WHERE ord = ?`,
      [row.ord],
    );
    if (content !== undefined) Object.assign(row, content);
    return content !== undefined;
  }

  #fits({ bytes, meta_bytes: metaBytes }: ContentRow): boolean {
    if (this.#isSpent) return false;
    const size = metaBytes + (this.#withBodies ? bytes : 0);
    if (!this.#isFirst && size > this.#left) {
      this.#isSpent = true;
      return false;
    }
    this.#isFirst = false;
    this.#left -= size;
    return true;
  }
}

function columnsOf(withBody: boolean): string {
  const inline = (column: string) =>
    `CASE WHEN octet_length(d.meta)${withBody ? ' + d.bytes' : ''} <= ${INLINE_BYTES} THEN ${column} END`;
  return `d.bytes, d.crc, d.rev_ts, octet_length(d.meta) AS meta_bytes, ${inline('d.meta')} AS meta, ${
    withBody ? inline('d.body') : 'NULL'
  } AS body`;
}

export interface ReadOptions extends ContentOptions {
  /** Documents whose contents are read, the most important first; all when absent. */
  readonly contentsOf?: readonly number[];
}

/** Maximum number of rows in one statement. */
const STEP = 256;

/** Rows by ordinal, in the requested order; deleted documents are left out. */
export async function readRows(queries: Queries, ords: readonly number[],
  { contentsOf = ords, ...options }: ReadOptions): Promise<Map<number, ResultRow>>
{
  const reader = new ContentReader(queries, options);
  const rows = new Map<number, ResultRow>();
  const first = new Set(contentsOf);
  for (const some of inSteps([...first])) {
    const read = await select(queries, some, reader.isSpent ? WITHOUT_CONTENT : reader.columns);
    for (const row of some.map((ord) => read.get(ord))) {
      if (row === undefined) continue;
      await reader.take(row);
      rows.set(row.ord, row);
    }
  }
  for (const some of inSteps(ords.filter((ord) => !first.has(ord)))) {
    for (const [ord, row] of await select(queries, some, WITHOUT_CONTENT)) rows.set(ord, row);
  }
  return rows;
}

/** Reads the content of one row that has none, however large it is. False when the document was deleted. */
export async function readContent(queries: Queries, row: ResultRow, withBodies: boolean): Promise<boolean> {
  return new ContentReader(queries, { withBodies, mostBytes: 0 }).take(row);
}

function* inSteps(ords: readonly number[]): Generator<readonly number[]> {
  for (let i = 0; i < ords.length; i += STEP) yield ords.slice(i, i + STEP);
}

async function select(queries: Queries, ords: readonly number[], content: string): Promise<Map<number, ResultRow>> {
  const read = await queries.all<ResultRow>(selection(content, ords.length), ords);
  return new Map(read.map((row) => [row.ord, row]));
}

/**
 * Statements by content and number of rows, so that a search looks its statement up by a text that is already hashed.
 * They are not padded (`inList`), because pages have few sizes and most have exactly the requested one.
 */
const selections = new Map<string, string[]>();

function selection(content: string, rows: number): string {
  let known = selections.get(content);
  if (known === undefined) selections.set(content, known = []);
  return known[rows] ??=
    `SELECT d.ord, d.id, d.key, d.lang, d.added_at, d.updated_at, d.expires_at, ${content} FROM documents d WHERE d.ord IN (${
      Array(rows).fill('?').join(', ')
    })`;
}

/** A decoded body. Its text and checksum are made when they are needed. */
export class Body {
  /** As UTF-8. */
  readonly bytes: Buffer;
  #text: string | undefined;
  #crc: number | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get text(): string {
    return this.#text ??= this.bytes.toString('utf8');
  }

  get crc(): number {
    return this.#crc ??= crc32(this.bytes);
  }
}

const NO_BODY = new Body(Buffer.alloc(0));

/**
 * Bodies of results, of which several may be of one document: each is decoded once, and released when no result needs
 * it any more, because together they may be large.
 */
export class Bodies {
  readonly #codec: BodyCodec;
  readonly #decoded = new Map<number, Body>();
  readonly #uses = new Map<number, number>();

  constructor(codec: BodyCodec, ords: readonly number[]) {
    this.#codec = codec;
    for (const ord of ords) this.#uses.set(ord, (this.#uses.get(ord) ?? 0) + 1);
  }

  /** Call it once for each result; empty if the body was not read. */
  async take({ ord, body }: ResultRow): Promise<Body> {
    if (body === null) return NO_BODY;
    const held = this.#decoded.get(ord) ?? new Body(await this.#codec.bytesAsync(body));
    const uses = this.#uses.get(ord)! - 1;
    this.#uses.set(ord, uses);
    if (uses > 0) this.#decoded.set(ord, held);
    else this.#decoded.delete(ord);
    return held;
  }
}
