import { inList, type Queries, type Row, type Sealer, type SqlValue, type Transaction } from '../../storage/index.ts';
import { removeVectorRows, runInSteps, type UnitOfWork } from '../documents/index.ts';
import { COLLECTION_ID } from '../stored-collections.ts';
import { fromBlob, type Precision, toBlob } from './vector-blob.ts';

/** Two vectors are comparable only if these agree. */
export interface ModelIdentity {
  readonly model: string;
  /** How texts are prepared for the model. */
  readonly variant: string;
  readonly dimensions: number;
}

export type StoredType = 'float32' | 'int8' | 'int4';

/** Position of a chunk in its body: lines from 1, bytes with the end exclusive. */
export interface ChunkPlace {
  readonly startLine: number;
  readonly endLine: number;
  readonly start: number;
  readonly end: number;
}

/** A vector to be written; bytes are a blob (`toBlob`), which is written as it is. */
export interface NewVector extends ChunkPlace {
  readonly vector: Float32Array | Uint8Array;
}

/** The vectors of a document, ready to be written. */
export interface NewVectors {
  readonly ord: number;
  readonly cid: number;
  /** CRC-32 and length of the body that they were made from. */
  readonly crc: number;
  readonly bytes: number;
  readonly chunking: string;
  readonly stored: StoredType;
  /** Precision on disk; full when absent. */
  readonly precision?: Precision;
  readonly chunks: readonly NewVector[];
  /** Encrypts the vectors of an encrypted collection. */
  readonly sealer?: Sealer | undefined;
}

/** One vector as it is stored. */
export interface StoredVector extends ChunkPlace, ModelIdentity {
  readonly ord: number;
  /** Number of the chunk within its document, from 0. */
  readonly chunk: number;
  /** The type that the collection's configuration named when it was embedded, otherwise that of the model. */
  readonly stored: StoredType;
  /** CRC-32 of the body that it was made from; the vector is outdated if the document's is different. */
  readonly crc: number;
  /** In the precision of the table, whatever `stored` says. */
  readonly vector: Float32Array;
}

const UPSERT = `
  INSERT INTO embeddings(ord, cid, model_id, crc, bytes, chunks, stored, chunking) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(ord) DO UPDATE SET model_id = excluded.model_id, crc = excluded.crc, bytes = excluded.bytes,
    chunks = excluded.chunks, stored = excluded.stored, chunking = excluded.chunking`;
const INSERT =
  'INSERT INTO vectors(ord, chunk, start_line, end_line, start_byte, end_byte, vector) VALUES (?, ?, ?, ?, ?, ?, ?)';

/**
 * Replaces the vectors of documents; each document at most once. The caller updates the feed. Returns the vectors as
 * the table has them, unencrypted.
 */
export async function putVectors(work: UnitOfWork, model: ModelIdentity,
  documents: readonly NewVectors[]): Promise<Uint8Array[][]>
{
  if (documents.length === 0) return [];
  const modelId = await ensureModel(work.tx, model);
  await removeVectorRows(work, documents.map(({ ord }) => ord));
  await runInSteps(work, UPSERT,
    documents.map((
      { ord, cid, crc, bytes, chunks, stored, chunking },
    ) => [ord, cid, modelId, crc, bytes, chunks.length, stored, chunking]));
  const blobs: Uint8Array[][] = [];
  for (const { ord, chunks, precision, sealer } of documents) {
    const own = chunks.map(({ vector }) => (vector instanceof Uint8Array ? vector : toBlob(vector, precision)));
    await runInSteps(work, INSERT,
      chunks.map(({ startLine, endLine, start, end },
        chunk) => [ord, chunk, startLine, endLine, start, end, sealer?.vector(ord, chunk, own[chunk]!) ?? own[chunk]!]
      ));
    blobs.push(own);
  }
  return blobs;
}

/** Removes the vectors of documents and their embedding records. The caller updates the feed. */
export async function removeVectors(work: UnitOfWork, ords: readonly number[]): Promise<void> {
  if (ords.length === 0) return;
  await removeVectorRows(work, ords);
  await runInSteps(work, 'DELETE FROM embeddings WHERE ord = ?', ords.map((ord) => [ord]));
}

/** The row of a model, inserted if there is none. */
export async function ensureModel(tx: Transaction, { model, variant, dimensions }: ModelIdentity): Promise<number> {
  const find = () =>
    tx.get<{ id: number }>('SELECT id FROM embedding_models WHERE model = ? AND variant = ? AND dimensions = ?', [model,
      variant, dimensions]);
  const found = await find();
  if (found !== undefined) return found.id;
  await tx.run('INSERT INTO embedding_models(model, variant, dimensions) VALUES (?, ?, ?)', [model, variant,
    dimensions]);
  return (await find())!.id;
}

interface VectorRow extends Row {
  readonly ord: number;
  readonly chunk: number;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_byte: number;
  readonly end_byte: number;
  readonly stored: string;
  readonly crc: number;
  readonly model: string;
  readonly variant: string;
  readonly dimensions: number;
  readonly vector: Uint8Array;
}

const SELECT = `
  SELECT v.ord, v.chunk, v.start_line, v.end_line, v.start_byte, v.end_byte, e.stored, e.crc, m.model, m.variant, m.dimensions, v.vector
  FROM embeddings e JOIN vectors v ON v.ord = e.ord JOIN embedding_models m ON m.id = e.model_id`;

/** Number of vectors that one statement reads; at 1536 dimensions that is 1.5 MiB. */
const PAGE = 256;

/**
 * All vectors of a collection, by document and chunk, in pages. Each page continues after the last vector that was
 * read, so no transaction stays open; callers that need later writes follow the change feed. Pass `sql.background`,
 * because a page is large.
 */
export async function* vectorsOfCollection(queries: Queries, collection: string,
  page = PAGE): AsyncGenerator<StoredVector[]>
{
  // The CASE bounds only the chunks of the first document, through the index.
  const query = `${SELECT} WHERE e.cid = ${COLLECTION_ID} AND e.ord >= ?
    AND v.chunk > CASE WHEN e.ord = ? THEN ? ELSE -1 END ORDER BY e.ord, v.chunk LIMIT ?`;
  for (let last: StoredVector | undefined, more = true; more;) {
    const after: SqlValue[] = last === undefined ? [0, 0, -1] : [last.ord, last.ord, last.chunk];
    const rows = await queries.all<VectorRow>(query, [collection.toLowerCase(), ...after, page]);
    const vectors = rows.map(toVector);
    if (vectors.length > 0) yield vectors;
    last = vectors.at(-1);
    more = rows.length === page;
  }
}

/** The vectors of some documents, by document and chunk; documents without vectors are left out. */
export async function vectorsOfDocuments(queries: Queries, ords: readonly number[]): Promise<StoredVector[]> {
  if (ords.length === 0) return [];
  const { marks, params } = inList(ords);
  const rows = await queries.all<VectorRow>(`${SELECT} WHERE e.ord IN (${marks}) ORDER BY e.ord, v.chunk`, params);
  return rows.map(toVector);
}

function toVector(row: VectorRow): StoredVector {
  const { ord, chunk, crc, model, variant, dimensions } = row;
  return {
    ord,
    chunk,
    crc,
    model,
    variant,
    dimensions,
    stored: row.stored as StoredType,
    startLine: row.start_line,
    endLine: row.end_line,
    start: row.start_byte,
    end: row.end_byte,
    vector: fromBlob(row.vector, dimensions),
  };
}
