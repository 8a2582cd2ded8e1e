import { ServiceError } from '../../../errors/index.ts';
import { type SparseVector, sparseVector, SparseVectorError } from '../../../search/sparse/index.ts';
import { declaredField, spaceOfField, type VectorField, type VectorFields } from '../../collections/index.ts';
import { type GivenQueryVector, numbersOfQuery, toSearchVector } from './query-vector.ts';
import type { FieldQuery } from './search-fields.ts';

/** A sparse vector of a query as a client sends it. */
export interface GivenSparseVector {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** The part of a search's input that concerns fields of supplied vectors. */
export interface FieldsInput {
  readonly vectorField?: string | undefined;
  readonly queryVector?: GivenQueryVector | undefined;
  readonly queryVectors?: readonly GivenQueryVector[] | undefined;
  readonly querySparse?: GivenSparseVector | undefined;
  readonly vectorFields?: readonly {
    readonly field: string;
    readonly weight?: number | undefined;
    readonly vector?: GivenQueryVector | undefined;
    readonly vectors?: readonly GivenQueryVector[] | undefined;
    readonly sparse?: GivenSparseVector | undefined;
  }[] | undefined;
}

/**
 * The fields that a search compares; undefined if it concerns embeddings, of a named field or the default one. Throws
 * `invalid_argument` for fields that are not declared and vectors that do not fit them.
 */
export function fieldQueriesOf(input: FieldsInput, declared: VectorFields = {}): readonly FieldQuery[] | undefined {
  const { vectorField, queryVector, queryVectors, querySparse, vectorFields } = input;
  if (vectorFields !== undefined) {
    if ([vectorField, queryVector, queryVectors, querySparse].some((given) => given !== undefined))
      throw refusal('vectorFields must not come with vectorField, queryVector, queryVectors or querySparse');
    const names = vectorFields.map(({ field }) => field);
    const twice = names.find((name, i) => names.indexOf(name) < i);
    if (twice !== undefined) throw refusal(`vectorFields names ${twice} twice`);
    return vectorFields.map(({ field, weight = 1, vector, vectors, sparse }, i) =>
      queryOf(declared, field, { vector, vectors, sparse, weight }, {
        field: `vectorFields[${i}].field`,
        vector: `vectorFields[${i}].vector`,
        vectors: `vectorFields[${i}].vectors`,
        sparse: `vectorFields[${i}].sparse`,
      })
    );
  }
  if (vectorField === undefined || spaceOfField({ vectors: declared }, vectorField) !== undefined) {
    if (queryVectors !== undefined) throw refusal('queryVectors needs vectorField, a field of the kind multi');
    if (querySparse !== undefined) throw refusal('querySparse needs vectorField, a field of the kind sparse');
    return undefined;
  }
  const given = { vector: queryVector, vectors: queryVectors, sparse: querySparse, weight: 1 };
  return [queryOf(declared, vectorField, given, {
    field: 'vectorField',
    vector: 'queryVector',
    vectors: 'queryVectors',
    sparse: 'querySparse',
  })];
}

/**
 * A query by fields as one of vectors; the first of its vectors stands for all where one is looked at, an empty one if
 * it is sparse.
 */
export function toQueryVector(fields: readonly FieldQuery[]): {
  readonly vector: Float32Array;
  readonly fields: readonly FieldQuery[];
} {
  return { vector: fields[0]!.vectors[0] ?? new Float32Array(0), fields };
}

interface Given {
  readonly vector: GivenQueryVector | undefined;
  readonly vectors: readonly GivenQueryVector[] | undefined;
  readonly sparse: GivenSparseVector | undefined;
  readonly weight: number;
}

/** Where the parts of a query are in the input, for messages. */
type Paths = { readonly [Part in 'field' | keyof typeof WANTED_BY]: string };

/** The kind of field for which each part is. */
const WANTED_BY = { vector: 'dense', vectors: 'multi', sparse: 'sparse' } as const;

function queryOf(declared: VectorFields, name: string, { weight, ...given }: Given, paths: Paths): FieldQuery {
  const field = declaredField(declared, name, paths.field);
  if (field.source === 'provider') return providedQuery(name, field, { weight, ...given }, paths);
  const parts = Object.keys(WANTED_BY) as (keyof typeof WANTED_BY)[];
  const wanted = parts.find((part) => WANTED_BY[part] === field.kind)!;
  const other = parts.find((part) => part !== wanted && given[part] !== undefined);
  const { vector, vectors, sparse } = given;
  if (given[wanted] === undefined)
    throw refusal(`${paths.field} ${name} is of the kind ${field.kind}, and needs ${paths[wanted]}`);
  if (other !== undefined)
    throw refusal(
      `${paths[other]} must not come with ${name}, which is of the kind ${field.kind}: send ${paths[wanted]}`,
    );
  if (sparse !== undefined) return { name, field, weight, vectors: [], sparse: toSparse(sparse, paths.sparse) };
  const all = vectors?.map((each, i) => toQuery(each, field, `${paths.vectors}[${i}]`, name));
  return { name, field, weight, vectors: all ?? [toQuery(vector!, field, paths.vector, name)] };
}

/** Without a vector, the query is embedded later. */
function providedQuery(name: string, field: VectorField, { vector, vectors, sparse, weight }: Given,
  paths: Paths): FieldQuery
{
  const other = vectors !== undefined ? paths.vectors : sparse !== undefined ? paths.sparse : undefined;
  if (other !== undefined)
    throw refusal(
      `${other} must not come with ${name}, which is of the source provider: send query or ${paths.vector}`,
    );
  const given = vector === undefined
    ? []
    : [toSearchVector(numbersOfQuery(vector, paths.vector), field.metric, paths.vector)];
  return { name, field, weight, vectors: given };
}

function toSparse({ indices, values }: GivenSparseVector, path: string): SparseVector {
  try {
    return sparseVector(indices, values);
  } catch (error) {
    if (error instanceof SparseVectorError) throw refusal(`${path} ${error.message}`);
    throw error;
  }
}

function toQuery(given: GivenQueryVector, { dimensions, metric }: VectorField, path: string,
  name: string): Float32Array
{
  const numbers = numbersOfQuery(given, path);
  if (numbers.length !== dimensions)
    throw refusal(`${path} must have ${dimensions} numbers, as the vectors of ${name}, got ${numbers.length}`);
  return toSearchVector(numbers, metric, path);
}

function refusal(message: string): ServiceError {
  return new ServiceError('invalid_argument', message);
}
