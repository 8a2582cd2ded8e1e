import { unixSeconds } from '../../../lib/clock.ts';
import { OrdSet } from '../../../lib/ord-set.ts';
import type { SparseVector } from '../../../search/sparse/index.ts';
import { type Algorithm, VectorIndexClosedError } from '../../../search/vector/index.ts';
import { decodeVectors, inList } from '../../../storage/index.ts';
import type { VectorField } from '../../collections/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { FieldIndexes } from '../view/field-indexes.ts';
import type { FieldsView } from '../view/fields-view.ts';
import { combine } from './combine.ts';
import { type Component, DenseComponent, type FieldHit, SparseComponent } from './components.ts';

/** A field with the vectors that its documents are compared with; several for late interaction. */
export interface FieldQuery {
  readonly name: string;
  readonly field: VectorField;
  readonly vectors: readonly Float32Array[];
  /** What a field of the kind `sparse` is compared with, instead of `vectors`. */
  readonly sparse?: SparseVector | undefined;
  /** By what its similarity is multiplied. */
  readonly weight: number;
}

/** A search by fields; see `NearestQuery` in `src/docs/vectors` for the options. */
export interface FieldsQuery {
  readonly collection: string;
  readonly fields: readonly FieldQuery[];
  readonly k: number;
  readonly algorithm?: Algorithm | undefined;
  readonly threshold?: number | undefined;
  readonly oversample?: number | undefined;
  readonly eligible?: OrdSet | undefined;
  readonly perDocument?: boolean | undefined;
  readonly quotable?: boolean | undefined;
}

export interface FieldsResult {
  readonly hits: readonly FieldHit[];
  readonly algorithm: Algorithm;
  readonly incomparable: number;
}

export interface SearchFieldsDeps extends Pick<DocsEnvironment, 'sql' | 'clock'> {
  readonly view: Pick<FieldsView, 'indexOf'>;
  /** The server's algorithm for vectors that are not quantized. */
  readonly defaultAlgorithm: Algorithm;
}

/** Maximum number of searches for one request: a search with unusable hits is repeated without them. */
const MAX_ROUNDS = 5;

/**
 * The nearest documents or passages. Those that were deleted or have expired are no hits; `quotable` leaves out others.
 */
export async function searchFields(deps: SearchFieldsDeps, query: FieldsQuery,
  signal?: AbortSignal): Promise<FieldsResult>
{
  const excluded = new Set<number>();
  for (let round = 1;; round++) {
    signal?.throwIfAborted();
    const found = await searchOnce(deps, query, excluded, signal);
    const unusable = await unusableOrds(deps, query, found.hits.map(({ ord }) => ord));
    const hits = found.hits.filter(({ ord }) => !unusable.has(ord));
    if (unusable.size === 0 || found.hits.length < query.k || round === MAX_ROUNDS) return { ...found, hits };
    for (const ord of unusable) excluded.add(ord);
  }
}

/** If a newer index replaced this one during the search, the search is repeated. */
async function searchOnce(deps: SearchFieldsDeps, query: FieldsQuery, excluded: ReadonlySet<number>,
  signal: AbortSignal | undefined): Promise<FieldsResult>
{
  for (;;) {
    const indexes = deps.view.indexOf(query.collection);
    if (indexes === undefined) return { hits: [], algorithm: 'flat', incomparable: 0 };
    try {
      return await searchIndexes(deps, indexes, query, excluded, signal);
    } catch (error) {
      if (!(error instanceof VectorIndexClosedError) || deps.view.indexOf(query.collection) === indexes) throw error;
    }
  }
}

async function searchIndexes(deps: SearchFieldsDeps, indexes: FieldIndexes, query: FieldsQuery,
  excluded: ReadonlySet<number>, signal: AbortSignal | undefined): Promise<FieldsResult>
{
  const components = query.fields.flatMap((field): Component[] => {
    if (field.sparse === undefined) return denseComponents(deps, indexes, field, query.algorithm);
    const index = indexes.sparse(field.name);
    return index === undefined ? [] : [new SparseComponent(index, field.sparse, field.weight, signal)];
  });
  const { k, oversample } = query;
  // Sums and products may be below 0, which the default would leave out.
  const threshold = query.threshold || undefined;
  const filter = filterOf(components, query.eligible, excluded);
  const [single] = components;
  if (single === undefined) return { hits: [], algorithm: 'flat', incomparable: 0 };
  if (query.fields.length > 1 || query.fields[0]!.field.kind === 'multi')
    return { ...await combine(components, { k, threshold, oversample, filter }), incomparable: 0 };
  const { weight } = single;
  const { hits, algorithm } = await single.search({
    k,
    filter,
    threshold: threshold === undefined ? undefined : threshold / weight,
    oversample,
    perDocument: query.perDocument ?? false,
  });
  return {
    hits: weight === 1 ? hits : hits.map((hit) => ({ ...hit, score: hit.score * weight })),
    algorithm,
    incomparable: 0,
  };
}

/** Vectors that were stored while the field had another dimension are not compared. */
function denseComponents(deps: SearchFieldsDeps, indexes: FieldIndexes, { name, field, vectors, weight }: FieldQuery,
  wanted: Algorithm | undefined): DenseComponent[]
{
  const index = indexes.of(name, field.kind);
  if (index?.dims.includes(field.dimensions) !== true) return [];
  const isCoded = field.quantization !== 'float32';
  const algorithm = wanted ?? (isCoded ? 'quantized' : deps.defaultAlgorithm);
  return vectors.map((vector) => new DenseComponent(index, { vector, metric: field.metric, algorithm }, weight));
}

/** Undefined when every document counts. */
function filterOf(components: readonly Component[], eligible: OrdSet | undefined, excluded: ReadonlySet<number>): OrdSet
  | undefined
{
  if (excluded.size === 0) return eligible;
  const counting = eligible === undefined
    ? OrdSet.of(new Set(components.flatMap(({ index }) => [...index.ords()])))
    : OrdSet.fromWords(eligible.words.slice());
  for (const ord of excluded) counting.delete(ord);
  return counting;
}

/** Maximum number of documents whose rows one statement reads. */
const STEP = 64;

/**
 * The documents that a search must not return: those that were deleted or have expired, which the index learns a little
 * later, and with `quotable` those whose vectors were written with another body.
 */
async function unusableOrds({ sql, clock }: SearchFieldsDeps, { quotable = false, fields }: FieldsQuery,
  hits: readonly number[]): Promise<ReadonlySet<number>>
{
  const unusable = new Set(hits);
  const now = unixSeconds(clock);
  const ords = [...unusable];
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await sql.all<Row>(
      `SELECT ord, expires_at, crc, bytes, ${quotable ? 'vectors' : 'NULL AS vectors'} FROM documents
       WHERE ord IN (${marks}) AND (expires_at IS NULL OR expires_at > ?)`,
      [...params, now],
    );
    for (const row of rows) if (!quotable || isQuotable(row, fields[0]!.name)) unusable.delete(row.ord);
  }
  return unusable;
}

interface Row {
  readonly [column: string]: number | Uint8Array | null;
  readonly ord: number;
  readonly crc: number;
  readonly bytes: number;
  readonly vectors: Uint8Array | null;
}

function isQuotable({ crc, bytes, vectors }: Row, field: string): boolean {
  const stored = vectors && decodeVectors(vectors, field).get(field);
  return stored != null && stored.crc === crc && stored.bytes === bytes;
}
