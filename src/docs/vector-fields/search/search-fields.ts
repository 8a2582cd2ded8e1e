import { unixSeconds } from '../../../lib/clock.ts';
import { OrdSet } from '../../../lib/ord-set.ts';
import { gathered, readEach } from '../../../search/parts/index.ts';
import type { SparseVector } from '../../../search/sparse/index.ts';
import type { Algorithm, VectorReader } from '../../../search/vector/index.ts';
import { decodeVectors, inList } from '../../../storage/index.ts';
import type { VectorField } from '../../collections/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { inPresentIndex, type NearestOptions, type NearestResult, NOTHING_NEAR,
  usableHits } from '../../search/index.ts';
import type { ReadableFields } from '../view/field-indexes.ts';
import { combine } from './combine.ts';
import { type Component, DenseComponent, SparseComponent } from './components.ts';

/** A field with the vectors that its documents are compared with; several for late interaction. */
export interface FieldQuery {
  readonly name: string;
  readonly field: VectorField;
  readonly vectors: readonly Float32Array[];
  /** What a field of the kind `sparse` is compared with, instead of `vectors`. */
  readonly sparse?: SparseVector | undefined;
  /** By what its similarity is multiplied. */
  readonly weight: number;
  /** Where the vectors of a field of the source `provider` are. */
  readonly embedded?: EmbeddedVectors | undefined;
}

/** The vectors that an embedding provider made. */
export interface EmbeddedVectors {
  /** Undefined where there are none. Throws `index_loading`. */
  index(): VectorReader | undefined;
  /** The documents whose vectors can be compared with the query's; undefined for all. */
  comparable(): OrdSet | undefined;
}

export interface FieldsQuery extends NearestOptions {
  readonly fields: readonly FieldQuery[];
}

export interface SearchFieldsDeps extends Pick<DocsEnvironment, 'sql' | 'clock'> {
  /** Undefined for a collection without supplied vectors. Throws `index_loading`. */
  readonly view: { indexOf(collection: string): ReadableFields | undefined };
  /** The server's algorithm for vectors that are not quantized. */
  readonly defaultAlgorithm: Algorithm;
}

/**
 * The nearest documents or passages. Those that were deleted or have expired are no hits; `quotable` leaves out others.
 */
export function searchFields(deps: SearchFieldsDeps, query: FieldsQuery, signal?: AbortSignal): Promise<NearestResult> {
  return usableHits({
    k: query.k,
    search: async (excluded) =>
      await inPresentIndex(() => indexesOf(deps, query), (indexes) =>
        searchIndexes(deps, indexes, query, excluded, signal)) ?? NOTHING_NEAR,
    unusable: (ords) => unusableOrds(deps, query, ords),
  }, signal);
}

/** Null without supplied vectors, where those of a provider are searched. */
function indexesOf({ view }: SearchFieldsDeps, { collection, fields }: FieldsQuery): ReadableFields | null | undefined {
  return view.indexOf(collection) ?? (fields.some(({ embedded }) => embedded !== undefined) ? null : undefined);
}

async function searchIndexes(deps: SearchFieldsDeps, indexes: ReadableFields | null, query: FieldsQuery,
  excluded: ReadonlySet<number>, signal: AbortSignal | undefined): Promise<NearestResult>
{
  const components = await gathered(() =>
    readEach(query.fields, (field): Component[] => {
      if (field.sparse === undefined) return denseComponents(deps, indexes, field, query.algorithm);
      const index = indexes?.sparse(field.name);
      return index === undefined ? [] : [new SparseComponent(index, field.sparse, field.weight, signal)];
    }).flat()
  );
  const { k, oversample } = query;
  // Sums and products may be below 0, which the default would leave out.
  const threshold = query.threshold || undefined;
  const filter = await gathered(() => filterOf(components, query.eligible, excluded));
  const [single] = components;
  if (single === undefined) return NOTHING_NEAR;
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
function denseComponents(deps: SearchFieldsDeps, indexes: ReadableFields | null,
  { name, field, vectors, weight, embedded }: FieldQuery, wanted: Algorithm | undefined): DenseComponent[]
{
  const index = embedded === undefined ? indexes?.of(name, field.kind) : embedded.index();
  const dimensions = embedded === undefined ? field.dimensions : vectors[0]!.length;
  if (index?.dims.includes(dimensions) !== true) return [];
  const isCoded = field.quantization !== 'float32';
  const algorithm = wanted ?? (isCoded ? 'quantized' : deps.defaultAlgorithm);
  const only = embedded?.comparable();
  return vectors.map((vector) => new DenseComponent(index, { vector, metric: field.metric, algorithm, only }, weight));
}

/** Undefined when every document counts. */
function filterOf(components: readonly Component[], eligible: OrdSet | undefined, excluded: ReadonlySet<number>): OrdSet
  | undefined
{
  if (excluded.size === 0) return eligible;
  const counting = eligible === undefined
    ? OrdSet.of(new Set(readEach(components, ({ index }) => [...index.ords()]).flat()))
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
