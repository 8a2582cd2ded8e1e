import { crc32 } from 'node:zlib';
import type { VectorResult } from '../../../../generated/docs/sdk/types.gen.ts';
import { Pace } from '../../../lib/pace.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import type { BodyCodec, Sql } from '../../../storage/index.ts';
import { contentsFor, contextCost, projectDocument, type Projection, type ResultRow } from '../../documents/index.ts';
import { readContent, readRows } from '../../fulltext/index.ts';
import { type PlacedPassage, readPassages } from './passages.ts';
import type { RetrievalMode } from './request.ts';
import type { Window } from './windows.ts';

/** A result with the number of text bytes that count for a token budget. */
export interface PresentedResult {
  readonly result: Omit<VectorResult, 'rank'>;
  /** Its position among the results that were found. */
  readonly at: number;
  readonly bytes: number;
}

type Presented = Omit<PresentedResult, 'at'>;

interface Presenting {
  readonly sql: Sql;
  readonly codec: BodyCodec;
}

/**
 * Results as the client receives them, as many as the answer may hold; one whose document was deleted or changed since
 * is left out. `next` is the position of the first one that did not fit.
 */
export async function presentResults({ sql, codec }: Presenting, results: readonly Window[],
  { mode, projection }: { readonly mode: RetrievalMode; readonly projection: Projection },
  { signal, budget }: AnswerBounds): Promise<{ presented: PresentedResult[]; next: number }>
{
  const withPassages = mode !== 'parent';
  const ords = results.map(({ ord }) => ord);
  const passages = withPassages ? await readPassages(sql, results) : [];
  const withBodies = withPassages || projection.body;
  const rows = await readRows(sql, [...new Set(ords)], contentsFor(budget, withBodies, projection.body));
  const bodies = new Bodies(codec, ords);
  const pace = new Pace();
  const presented: PresentedResult[] = [];
  await codec.fetchAhead([...rows.values()].map(({ body }) => body));
  for (const [i, found] of results.entries()) {
    signal.throwIfAborted();
    const row = rows.get(found.ord);
    if (row === undefined) continue;
    if (row.meta === null && presented.length > 0) budget.end();
    if (budget.isSpent) return { presented, next: i };
    if (row.meta === null && !(await readContent(sql, row, withBodies))) continue;
    const body = await bodies.take(row);
    const result = withPassages
      ? withPassage(found, row, body, passages[i], projection)
      : withDocument(found, row, body, projection);
    if (result !== undefined && !budget.take(sizeOf(result, row, projection))) return { presented, next: i };
    if (result !== undefined) presented.push({ ...result, at: i });
    await pace.rest();
  }
  return { presented, next: results.length };
}

/** Maximum bytes of the names and numbers around the text of a passage. */
const PASSAGE_FIELDS = 200;

/** Bytes of a result in the answer. */
function sizeOf({ result: { document: { meta }, chunkText } }: Presented, { bytes }: ResultRow,
  { body }: Projection): number
{
  return (body ? bytes : 0) + (chunkText === undefined ? 0 : PASSAGE_FIELDS + Buffer.byteLength(chunkText)) +
    contextCost({ meta });
}

/** Decoded, with its checksum. */
interface Body {
  readonly bytes: Buffer;
  readonly crc: number;
}

/**
 * Bodies of results: each is decoded once, and released when no result needs it any more, because together they may be
 * large.
 */
class Bodies {
  readonly #codec: BodyCodec;
  readonly #decoded = new Map<number, Body>();
  readonly #uses = new Map<number, number>();

  constructor(codec: BodyCodec, ords: readonly number[]) {
    this.#codec = codec;
    for (const ord of ords) this.#uses.set(ord, (this.#uses.get(ord) ?? 0) + 1);
  }

  /** Call it once for each result; empty if the body was not read. */
  async take({ ord, body }: ResultRow): Promise<Body> {
    const held = this.#decoded.get(ord) ?? toBody(body === null ? '' : await this.#codec.decodeAsync(body));
    const uses = this.#uses.get(ord)! - 1;
    this.#uses.set(ord, uses);
    if (uses > 0) this.#decoded.set(ord, held);
    else this.#decoded.delete(ord);
    return held;
  }
}

function toBody(text: string): Body {
  const bytes = Buffer.from(text);
  return { bytes, crc: crc32(bytes) };
}

function withDocument({ score }: Window, row: ResultRow, body: Body, projection: Projection): Presented {
  const document = toDocument(row, body, projection);
  return {
    result: { document, score: round(score) },
    bytes: contextCost({ body: projection.body ? row.bytes : undefined, meta: document.meta }),
  };
}

/** The body may have been changed after its passages were read: then their positions are invalid. */
function withPassage({ score, chunk }: Window, row: ResultRow, body: Body, passage: PlacedPassage | undefined,
  projection: Projection): Presented | undefined
{
  if (passage === undefined || passage.bytes !== body.bytes.length || passage.crc !== body.crc) return undefined;
  return {
    result: {
      document: toDocument(row, body, projection),
      score: round(score),
      chunkIndex: chunk,
      chunkText: body.bytes.toString('utf8', passage.start, passage.end),
      startLine: passage.startLine,
      endLine: passage.endLine,
    },
    bytes: contextCost({ body: projection.body ? row.bytes : undefined, passage: passage.end - passage.start }),
  };
}

function toDocument(row: ResultRow, { bytes }: Body, projection: Projection): VectorResult['document'] {
  return projectDocument({
    id: row.id,
    key: row.key,
    lang: row.lang,
    meta: JSON.parse(row.meta!) as Record<string, string[]>,
    contentMd: projection.body ? bytes.toString() : '',
    addedAt: row.added_at,
    updatedAt: row.updated_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  }, projection);
}

/** Scores have single precision: further digits would have no meaning. */
function round(score: number): number {
  return Number(score.toPrecision(8));
}
