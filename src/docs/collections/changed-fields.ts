import { ServiceError } from '../../errors/index.ts';
import { decodeVectors, inList, type Sql } from '../../storage/index.ts';
import { COLLECTION_ID } from '../stored-collections.ts';
import { changedFields, type VectorFields } from './vector-fields.ts';

/** Number of documents whose vectors are read at once: those of one may have some MiB. */
const STEP = 16;

/**
 * Throws `invalid_argument` if a change of the declared fields would make vectors unusable that documents have. Where
 * nothing uses a changed field, all documents with vectors are read.
 */
export async function requireUnusedFields(sql: Sql, collection: string, before: VectorFields | undefined,
  after: VectorFields | undefined): Promise<void>
{
  const changed = changedFields(before, after);
  if (changed.length === 0) return;
  for (let last = 0;;) {
    // The table itself has the index; the view of encrypted values has not.
    const ords = await sql.background.all<{ ord: number }>(
      `SELECT ord FROM main.documents WHERE cid = ${COLLECTION_ID} AND vectors IS NOT NULL AND ord > ? ORDER BY ord LIMIT ?`,
      [collection.toLowerCase(), last, STEP],
    );
    if (ords.length === 0) return;
    last = ords.at(-1)!.ord;
    const { marks, params } = inList(ords.map(({ ord }) => ord));
    const rows = await sql.background.all<{ key: string; vectors: Uint8Array | null }>(
      `SELECT key, vectors FROM documents WHERE ord IN (${marks})`,
      params,
    );
    for (const { key, vectors } of rows) requireUnused(key, vectors, changed);
  }
}

function requireUnused(key: string, vectors: Uint8Array | null, changed: readonly string[]): void {
  const stored = vectors && decodeVectors(vectors);
  const used = changed.find((name) => stored?.has(name));
  if (used === undefined) return;
  throw new ServiceError('invalid_argument',
    `vectors.${used}: documents have vectors in this field, such as ${key}, so its kind, dimensions and metric cannot ` +
      'change; declare a field with another name, or remove the vectors from the documents first');
}
