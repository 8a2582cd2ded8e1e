import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import { decodeVectors, type Row, rowsOf } from '../../../storage/index.ts';
import { declaredField, type VectorField, type VectorFields } from '../../collections/index.ts';
import { collectionOfId, type Meta } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { COLLECTION_ID } from '../../stored-collections.ts';
import { isUsable } from '../../stored-vectors.ts';
import { toQueryVector, toSearchVector } from '../../vector-fields/index.ts';
import { meanVector, passageVectors, type VectorReader, type VectorSource } from '../classify/document-vector.ts';
import type { QueryVector } from '../vector-search.ts';

export interface SourceDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'> {
  readonly embeddings: VectorReader;
}

/** A document to search with. */
export interface SourceDocument {
  readonly ord: number;
  readonly query: QueryVector;
}

interface SourceRow extends Row {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
  readonly crc: number;
  readonly meta: string;
}

const ROW = 'SELECT d.ord, d.key, d.lang, d.crc, d.meta';
const ALIVE = '(d.expires_at IS NULL OR d.expires_at > ?)';

/**
 * A document by its id, or else by its key (decisions section 4.3), with the mean of its vectors. If it was changed
 * since it was embedded, or never was, it is embedded now; if that fails, its stored vectors are used; with `supplied`,
 * those of that field are. Throws `not_found`, and `invalid_argument` when it has no vectors and none can be made.
 */
export async function findSource(deps: SourceDeps, collection: string, idOrKey: string, signal: AbortSignal,
  supplied?: SuppliedField): Promise<SourceDocument>
{
  const row = await byId(deps, collection, idOrKey) ?? await byKey(deps, collection, idOrKey);
  if (row === undefined)
    throw new ServiceError('not_found', 'not found: the document of sourceCollection and sourceDocID');
  if (supplied !== undefined) return suppliedSource(deps, row, supplied, 'sourceDocID');
  return toSource(deps, row, 'sourceDocID', signal);
}

/** As above, by key, and by language if one is named. */
export async function findSourceByKey(deps: SourceDeps,
  { collection, key, lang }: { readonly collection: string; readonly key: string; readonly lang?: string | undefined },
  signal: AbortSignal): Promise<SourceDocument>
{
  const row = await byKey(deps, collection, key, lang);
  if (row === undefined)
    throw new ServiceError('not_found',
      `not found: the document of collection${lang === undefined ? ' and key' : ', key and lang'}`);
  return toSource(deps, row, 'key', signal);
}

/** The same with its vectors in a field of supplied ones, which must be of the kind `dense`. */
export async function findFieldSource(deps: Pick<SourceDeps, 'sql' | 'clock'>,
  { collection, key, lang }: { readonly collection: string; readonly key: string; readonly lang?: string | undefined },
  name: string, declared: VectorFields = {}): Promise<SourceDocument>
{
  requireDense(name, declared);
  const row = await byKey(deps, collection, key, lang);
  if (row === undefined)
    throw new ServiceError('not_found',
      `not found: the document of collection${lang === undefined ? ' and key' : ', key and lang'}`);
  return suppliedSource(deps, row, { name, declared }, 'key');
}

/** A declared field of supplied vectors. */
interface SuppliedField {
  readonly name: string;
  readonly declared: VectorFields | undefined;
}

/** Throws `invalid_argument` unless it is of the kind `dense`. */
function requireDense(name: string, declared: VectorFields = {}): VectorField {
  const field = declaredField(declared, name, 'vectorField');
  if (field.kind !== 'dense')
    throw new ServiceError('invalid_argument', `vectorField must be of the kind dense, and ${name} is ${field.kind}`);
  return field;
}

async function suppliedSource({ sql }: Pick<SourceDeps, 'sql'>, { ord }: SourceRow, { name, declared }: SuppliedField,
  path: string): Promise<SourceDocument>
{
  const field = requireDense(name, declared);
  const found = await sql.get<{ vectors: Uint8Array | null }>('SELECT vectors FROM documents WHERE ord = ?', [ord]);
  const stored = found?.vectors == null ? undefined : decodeVectors(found.vectors, name).get(name);
  if (stored === undefined || !isUsable(stored, field))
    throw new ServiceError('invalid_argument', `${path} names a document without vectors in ${name}`);
  const vector = toSearchVector([...meanVector(rowsOf(stored))], field.metric, 'the mean of its vectors');
  return { ord, query: toQueryVector([{ name, field, vectors: [vector], weight: 1 }]) };
}

async function toSource(deps: SourceDeps, row: SourceRow, field: string, signal: AbortSignal): Promise<SourceDocument> {
  const { ord, key, crc } = row;
  const source = { ord, key, crc, meta: JSON.parse(row.meta) as Meta, contentMd: () => readBody(deps, ord) };
  const found = await vectorsOf(deps, source, signal);
  if (found === undefined) throw new ServiceError('invalid_argument', `${field} names a document without vectors`);
  return { ord, query: { vector: meanVector(found.vectors), model: found.model } };
}

function byId({ sql, clock }: Pick<SourceDeps, 'sql' | 'clock'>, collection: string,
  id: string): Promise<SourceRow | undefined>
{
  const lowered = id.toLowerCase();
  if (!lowered.includes('|') || collectionOfId(lowered) !== collection.toLowerCase()) return Promise.resolve(undefined);
  return sql.get<SourceRow>(`${ROW} FROM documents d WHERE d.id = ? AND ${ALIVE}`, [lowered, unixSeconds(clock)]);
}

/**
 * Finds a document by a spelling under which it was once written, in the first of several languages unless one is
 * named.
 */
async function byKey({ sql, clock }: Pick<SourceDeps, 'sql' | 'clock'>, collection: string, key: string,
  wanted?: string): Promise<SourceRow | undefined>
{
  const rows = await sql.all<SourceRow>(
    `${ROW} FROM spellings s JOIN documents d ON d.ord = s.ord WHERE s.cid = ${COLLECTION_ID} AND s.key = ? AND ` +
      `${ALIVE}`,
    [collection.toLowerCase(), key, unixSeconds(clock)],
  );
  const lang = (row: SourceRow): string => row.lang.toLowerCase();
  const meant = wanted === undefined ? rows : rows.filter((row) => lang(row) === wanted.toLowerCase());
  return meant.reduce<SourceRow | undefined>(
    (first, row) => (first === undefined || lang(row) < lang(first) ? row : first),
    undefined,
  );
}

async function vectorsOf({ embeddings }: SourceDeps, source: VectorSource, signal: AbortSignal) {
  try {
    return await passageVectors(embeddings, source, () => true, signal);
  } catch (error) {
    signal.throwIfAborted();
    const stored = error instanceof ServiceError ? await embeddings.vectorsOfDocuments([source.ord]) : [];
    const [first] = stored;
    if (first === undefined) throw error;
    return { model: first, vectors: stored.map(({ vector }) => vector) };
  }
}

async function readBody({ sql, codec }: SourceDeps, ord: number): Promise<string> {
  const row = await sql.get<{ body: Uint8Array }>('SELECT body FROM documents WHERE ord = ?', [ord]);
  if (row === undefined) throw new ServiceError('not_found', 'not found');
  return codec.decodeAsync(row.body);
}
