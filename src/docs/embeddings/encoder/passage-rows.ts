import { inList, type Queries, type Row, type Transaction } from '../../../storage/index.ts';
import { fromBlob, toBlob } from '../vector-blob.ts';
import { ensureModel, type ModelIdentity } from '../vector-rows.ts';

/** A passage of a document, by its number in the space whose passages these are. */
export interface PassageName {
  readonly ord: number;
  readonly space: string;
  readonly chunk: number;
}

/** What the vectors of a document were made from: a document with another body or chunking has other passages. */
export interface EmbeddedBody {
  readonly ord: number;
  readonly space: string;
  readonly crc: number;
  readonly bytes: number;
  readonly chunking: string;
}

/** Number of documents that one statement examines. */
const STEP = 256;

/** A name for lookups. */
export function nameOf({ ord, space, chunk }: PassageName): string {
  return `${ord} ${chunk} ${space}`;
}

/** The stored vectors of some passages, by `nameOf`. */
export async function keptVectors(queries: Queries, { model, variant, dimensions }: ModelIdentity,
  passages: readonly PassageName[]): Promise<Map<string, Float32Array>>
{
  const kept = new Map<string, Float32Array>();
  for (let i = 0; i < passages.length; i += STEP) {
    const some = passages.slice(i, i + STEP);
    const rows = await queries.all<{ ord: number; space: string; chunk: number; vector: Uint8Array }>(
      `SELECT x.ord, x.space, x.chunk, x.vector FROM encoder_vectors x JOIN embedding_models m ON m.id = x.model_id
       WHERE (x.ord, x.space, x.chunk) IN (VALUES ${
        some.map(() => '(?, ?, ?)').join(', ')
      }) AND m.model = ? AND m.variant = ? AND m.dimensions = ?`,
      [...some.flatMap(({ ord, space, chunk }) => [ord, space, chunk]), model, variant, dimensions],
    );
    for (const row of rows) kept.set(nameOf(row), fromBlob(row.vector, dimensions));
  }
  return kept;
}

/** Stores vectors of passages of one document, unless its passages have changed meanwhile. */
export async function keepVectors(tx: Transaction, model: ModelIdentity,
  { ord, space, crc, bytes, chunking }: EmbeddedBody,
  vectors: readonly { readonly chunk: number; readonly vector: Float32Array }[]): Promise<void>
{
  const id = await ensureModel(tx, model);
  for (const { chunk, vector } of vectors) {
    await tx.run(`INSERT INTO encoder_vectors(ord, space, chunk, model_id, vector)
       SELECT v.ord, v.space, v.chunk, ?, ? FROM vectors v JOIN embeddings e ON e.ord = v.ord AND e.space = v.space
       WHERE v.ord = ? AND v.space = ? AND v.chunk = ? AND e.crc = ? AND e.bytes = ? AND e.chunking = ?
       ON CONFLICT(ord, space, chunk) DO UPDATE SET model_id = excluded.model_id, vector = excluded.vector`, [id,
      toBlob(vector, 'int8'), ord, space, chunk, crc, bytes, chunking]);
  }
}

/** What the vectors of some documents in a space were made from; documents without vectors are left out. */
export async function embeddedBodies(queries: Queries, space: string,
  ords: readonly number[]): Promise<Map<number, EmbeddedBody>>
{
  const { marks, params } = inList(ords);
  const rows = ords.length === 0
    ? []
    : await queries.all<EmbeddedBody & Record<string, number | string>>(
      `SELECT ord, space, crc, bytes, chunking FROM embeddings WHERE ord IN (${marks}) AND space = ?`,
      [...params, space],
    );
  return new Map(rows.map((row) => [row.ord, row]));
}

/** The number of a model's row: null for a model of which nothing is stored, so that no row matches. */
const MODEL_ID = '(SELECT id FROM embedding_models WHERE model = ? AND variant = ? AND dimensions = ?)';

/** A document with a passage that lacks a vector of the encoder. */
export interface LackingDocument extends Row {
  readonly ord: number;
  readonly space: string;
  readonly chunks: number;
  readonly collection: string;
}

/**
 * The next documents after one, by ordinal and space, that have passages without a vector of a model: those of a former
 * encoder do not count.
 */
export function lackingAfter(queries: Queries, { model, variant, dimensions }: ModelIdentity,
  after: { readonly ord: number; readonly space: string }, limit: number): Promise<LackingDocument[]>
{
  return queries.all<LackingDocument>(
    `SELECT e.ord, e.space, e.chunks, c.name AS collection FROM embeddings e JOIN collections c ON c.id = e.cid
     WHERE (e.ord, e.space) > (?, ?) AND e.chunks >
       (SELECT count(*) FROM encoder_vectors x WHERE x.ord = e.ord AND x.space = e.space AND x.model_id = ${MODEL_ID})
     ORDER BY e.ord, e.space LIMIT ?`,
    [after.ord, after.space, model, variant, dimensions, limit],
  );
}

/** Number of passages that have a vector of a model, by collection. Scans the table. */
export async function countEncoded(queries: Queries,
  { model, variant, dimensions }: ModelIdentity): Promise<Map<string, number>>
{
  const rows = await queries.all<{ name: string; n: number }>(
    `SELECT c.name, count(*) AS n FROM encoder_vectors x JOIN embeddings e ON e.ord = x.ord AND e.space = x.space JOIN collections c ON c.id = e.cid
     WHERE x.model_id = ${MODEL_ID} GROUP BY c.id, c.name`,
    [model, variant, dimensions],
  );
  return new Map(rows.map(({ name, n }) => [name, n]));
}

/** What the tables say of a document and of the body from which its vectors were made. */
export interface BodyState {
  /** Seconds since 1970; null if the document does not expire. */
  readonly expiresAt: number | null;
  /** Undefined if the document has no vectors. */
  readonly embedded: EmbeddedBody | undefined;
  /** Whether its vectors were made from its present body. */
  readonly isFresh: boolean;
}

interface StateRow extends Row {
  readonly ord: number;
  readonly expires_at: number | null;
  readonly crc: number;
  readonly bytes: number;
  readonly e_crc: number | null;
  readonly e_bytes: number;
  readonly chunking: string;
}

/** Which documents exist, and which of them have vectors of their present bodies in a space. */
export class BodyStates {
  readonly #queries: Queries;
  readonly #space: string;

  constructor(queries: Queries, space: string) {
    this.#queries = queries;
    this.#space = space;
  }

  /** Passes the state of each document, undefined for a deleted one, without pauses in between. */
  async each(ords: readonly number[], take: (ord: number, state: BodyState | undefined) => void): Promise<void> {
    const states = new Map<number, BodyState>();
    for (let i = 0; i < ords.length; i += STEP) {
      for (const row of await this.#select(ords.slice(i, i + STEP))) states.set(row.ord, toState(row, this.#space));
    }
    for (const ord of ords) take(ord, states.get(ord));
  }

  #select(ords: readonly number[]): Promise<StateRow[]> {
    const { marks, params } = inList(ords);
    return this.#queries.all<StateRow>(
      `SELECT d.ord, d.expires_at, d.crc, d.bytes, e.crc AS e_crc, e.bytes AS e_bytes, e.chunking
       FROM documents d LEFT JOIN embeddings e ON e.ord = d.ord AND e.space = ? WHERE d.ord IN (${marks})`,
      [this.#space, ...params],
    );
  }
}

function toState(
  { ord, expires_at: expiresAt, crc, bytes, e_crc: embeddedCrc, e_bytes: embeddedBytes, chunking }: StateRow,
  space: string,
): BodyState {
  if (embeddedCrc === null) return { expiresAt, embedded: undefined, isFresh: false };
  return {
    expiresAt,
    embedded: { ord, space, crc: embeddedCrc, bytes: embeddedBytes, chunking },
    isFresh: embeddedCrc === crc && embeddedBytes === bytes,
  };
}
