import { ServiceError } from '../../../errors/index.ts';
import type { VectorField, VectorFields } from '../../collections/index.ts';
import { type GivenQueryVector, numbersOfQuery, toSearchVector } from './query-vector.ts';
import type { FieldQuery } from './search-fields.ts';

/** The part of a search's input that concerns fields of supplied vectors. */
export interface FieldsInput {
  readonly vectorField?: string | undefined;
  readonly queryVector?: GivenQueryVector | undefined;
  readonly queryVectors?: readonly GivenQueryVector[] | undefined;
  readonly vectorFields?: readonly {
    readonly field: string;
    readonly weight?: number | undefined;
    readonly vector?: GivenQueryVector | undefined;
    readonly vectors?: readonly GivenQueryVector[] | undefined;
  }[] | undefined;
}

/**
 * The fields that a search compares; undefined if it names none, so that it concerns embeddings. Throws
 * `invalid_argument` for fields that are not declared and vectors that do not fit them.
 */
export function fieldQueriesOf(input: FieldsInput, declared: VectorFields = {}): readonly FieldQuery[] | undefined {
  const { vectorField, queryVector, queryVectors, vectorFields } = input;
  if (vectorFields !== undefined) {
    if (vectorField !== undefined || queryVector !== undefined || queryVectors !== undefined)
      throw refusal('vectorFields must not come with vectorField, queryVector or queryVectors');
    const names = vectorFields.map(({ field }) => field);
    const twice = names.find((name, i) => names.indexOf(name) < i);
    if (twice !== undefined) throw refusal(`vectorFields names ${twice} twice`);
    return vectorFields.map(({ field, weight = 1, vector, vectors }, i) =>
      queryOf(declared, field, { vector, vectors, weight }, {
        field: `vectorFields[${i}].field`,
        vector: `vectorFields[${i}].vector`,
        vectors: `vectorFields[${i}].vectors`,
      })
    );
  }
  if (vectorField === undefined) {
    if (queryVectors !== undefined) throw refusal('queryVectors needs vectorField, a field of the kind multi');
    return undefined;
  }
  return [queryOf(declared, vectorField, { vector: queryVector, vectors: queryVectors, weight: 1 }, {
    field: 'vectorField',
    vector: 'queryVector',
    vectors: 'queryVectors',
  })];
}

/** The declared field of a name; `path` is where the input has it. */
export function declaredField(declared: VectorFields, name: string, path: string): VectorField {
  if (Object.hasOwn(declared, name)) return declared[name]!;
  const names = Object.keys(declared);
  throw refusal(
    `${path} must be a declared vector field of the collection, ${
      names.length === 0 ? 'which has none' : names.join(', ')
    }; got ${name}`,
  );
}

/** A query by fields as one of vectors; the first of its vectors stands for all where one is looked at. */
export function toQueryVector(fields: readonly FieldQuery[]): {
  readonly vector: Float32Array;
  readonly fields: readonly FieldQuery[];
} {
  return { vector: fields[0]!.vectors[0]!, fields };
}

interface Given {
  readonly vector: GivenQueryVector | undefined;
  readonly vectors: readonly GivenQueryVector[] | undefined;
  readonly weight: number;
}

/** Where the parts of a query are in the input, for messages. */
type Paths = { readonly [Part in 'field' | 'vector' | 'vectors']: string };

function queryOf(declared: VectorFields, name: string, { vector, vectors, weight }: Given, paths: Paths): FieldQuery {
  const field = declaredField(declared, name, paths.field);
  const [wanted, other] = field.kind === 'multi' ? ['vectors', 'vector'] as const : ['vector', 'vectors'] as const;
  const given = field.kind === 'multi' ? vectors : vector === undefined ? undefined : [vector];
  if (given === undefined)
    throw refusal(`${paths.field} ${name} is of the kind ${field.kind}, and needs ${paths[wanted]}`);
  if ((field.kind === 'multi' ? vector : vectors) !== undefined)
    throw refusal(
      `${paths[other]} must not come with ${name}, which is of the kind ${field.kind}: send ${paths[wanted]}`,
    );
  return {
    name,
    field,
    weight,
    vectors: given.map((each, i) =>
      toQuery(each, field, field.kind === 'multi' ? `${paths.vectors}[${i}]` : paths.vector, name)
    ),
  };
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
