import { inList, type Queries, type Row, type Sealer, type SqlValue, type Transaction } from '../../storage/index.ts';
import { removeVectorRows, runInSteps, type UnitOfWork } from '../documents/index.ts';
import { COLLECTION_ID } from '../stored-collections.ts';
import { andInPartition, type Partition } from '../view/index.ts';
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

/** The name of the space of vectors that the server's provider makes. */
export const SERVER_SPACE = '';

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
  readonly space: string;
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
  INSERT INTO embeddings(ord, space, cid, model_id, crc, bytes, chunks, stored, chunking) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(ord, space) DO UPDATE SET model_id = excluded.model_id, crc = excluded.crc, bytes = excluded.bytes,
    chunks = excluded.chunks, stored = excluded.stored, chunking = excluded.chunking`;
const INSERT = `
  INSERT INTO vectors(ord, space, chunk, start_line, end_line, start_byte, end_byte, vector)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * Replaces the vectors of documents in a space; each document at most once. The caller updates the feed. Returns the
 * vectors as the table has them, unencrypted.
 */
export async function putVectors(work: UnitOfWork, space: string, model: ModelIdentity,
  documents: readonly NewVectors[]): Promise<Uint8Array[][]>
{
  if (documents.length === 0) return [];
  const modelId = await ensureModel(work.tx, model);
  await removeVectorRows(work, documents.map(({ ord }) => ord), space);
  await runInSteps(work, UPSERT,
    documents.map((
      { ord, cid, crc, bytes, chunks, stored, chunking },
    ) => [ord, space, cid, modelId, crc, bytes, chunks.length, stored, chunking]));
  const blobs: Uint8Array[][] = [];
  for (const { ord, chunks, precision, sealer } of documents) {
    const own = chunks.map(({ vector }) => (vector instanceof Uint8Array ? vector : toBlob(vector, precision)));
    await runInSteps(work, INSERT,
      chunks.map(({ startLine, endLine, start, end },
        chunk) => [ord, space, chunk, startLine, endLine, start, end,
        sealer?.vector({ ord, space, chunk }, own[chunk]!) ?? own[chunk]!]
      ));
    blobs.push(own);
  }
  return blobs;
}

/** Removes the vectors of documents in a space and their embedding records. The caller updates the feed. */
export async function removeVectors(work: UnitOfWork, space: string, ords: readonly number[]): Promise<void> {
  if (ords.length === 0) return;
  await removeVectorRows(work, ords, space);
  await runInSteps(work, 'DELETE FROM embeddings WHERE ord = ? AND space = ?', ords.map((ord) => [ord, space]));
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
  readonly space: string;
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
  SELECT v.ord, v.space, v.chunk, v.start_line, v.end_line, v.start_byte, v.end_byte, e.stored, e.crc, m.model, m.variant, m.dimensions,
    v.vector
  FROM embeddings e JOIN vectors v ON v.ord = e.ord AND v.space = e.space JOIN embedding_models m ON m.id = e.model_id`;

/** Number of vectors that one statement reads; at 1536 dimensions that is 1.5 MiB. */
const PAGE = 256;

/**
 * All vectors of a collection, or of a partition of it, by document, space and chunk, in pages. Each page continues
 * after the last vector that was read, so no transaction stays open; callers that need later writes follow the change
 * feed. Pass `sql.background`, because a page is large.
 */
export async function* vectorsOfCollection(queries: Queries, collection: string,
  { partition, page = PAGE }: { readonly partition?: Partition | undefined; readonly page?: number } =
    {}): AsyncGenerator<StoredVector[]>
{
  const within = partition === undefined ? '' : andInPartition(partition, 'e.ord');
  // The CASE bounds only the chunks of the first document and space, through the index.
  const query = `${SELECT} WHERE e.cid = ${COLLECTION_ID} ${within} AND e.ord >= ? AND (e.ord > ? OR e.space >= ?)
    AND v.chunk > CASE WHEN e.ord = ? AND e.space = ? THEN ? ELSE -1 END ORDER BY e.ord, e.space, v.chunk LIMIT ?`;
  for (let last: StoredVector | undefined, more = true; more;) {
    const { ord, space, chunk } = last ?? { ord: 0, space: '', chunk: -1 };
    const after: SqlValue[] = [ord, ord, space, ord, space, chunk];
    const rows = await queries.all<VectorRow>(query, [collection.toLowerCase(), ...after, page]);
    const vectors = rows.map(toVector);
    if (vectors.length > 0) yield vectors;
    last = vectors.at(-1);
    more = rows.length === page;
  }
}

/**
 * The vectors of some documents, by document, space and chunk, of one space if it is named; documents without vectors
 * are left out.
 */
export async function vectorsOfDocuments(queries: Queries, ords: readonly number[],
  space?: string): Promise<StoredVector[]>
{
  if (ords.length === 0) return [];
  const { marks, params } = inList(ords);
  const those = `e.ord IN (${marks})${space === undefined ? '' : ' AND e.space = ?'}`;
  const rows = await queries.all<VectorRow>(`${SELECT} WHERE ${those} ORDER BY v.ord, v.space, v.chunk`,
    space === undefined ? params : [...params, space]);
  return rows.map(toVector);
}

function toVector(row: VectorRow): StoredVector {
  const { ord, space, chunk, crc, model, variant, dimensions } = row;
  return {
    ord,
    space,
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
