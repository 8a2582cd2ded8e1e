import { ServiceError } from '../../errors/index.ts';

/**
 * How a field holds the vectors that clients supply: one for a document or for each of its passages (`dense`), or one
 * for each token, which late interaction compares (`multi`), or one of few of many dimensions (`sparse`).
 */
export type VectorFieldKind = 'dense' | 'multi' | 'sparse';

/** A declared field of vectors. */
export interface VectorField {
  readonly kind: VectorFieldKind;
  /** 0 for the kind `sparse`, whose dimensions are all numbers of 32 bits, and where the model decides. */
  readonly dimensions: number;
  readonly metric: 'cosine' | 'dot_product' | 'euclidean';
  readonly quantization: 'float32' | 'int8' | 'int4';
  readonly source: 'supplied' | 'provider';
  /** The id of the embedding configuration whose provider makes the vectors, for that source. */
  readonly embedding?: string;
}

/** The declared fields of a collection, by name. */
export type VectorFields = Readonly<Record<string, VectorField>>;

/** Maximum number of fields of a collection. */
const MAX_FIELDS = 16;
const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** What a write of the configuration says about fields, by name; null removes one. */
export type FieldChanges = Readonly<Record<string, Partial<VectorField> | null>>;

/**
 * The fields after a write: a named field is replaced as a whole, null removes one, others stay. Throws
 * `invalid_argument` for a name that is not allowed, for what does not fit the kind, and for too many fields.
 */
export function mergeFields(stored: VectorFields = {}, changes: FieldChanges): VectorFields | undefined {
  const merged = new Map(Object.entries(stored));
  for (const [name, change] of Object.entries(changes)) {
    if (!NAME.test(name)) {
      throw new ServiceError('invalid_argument',
        `vectors.${
          name.slice(0, 80)
        }: the name of a field must be a lowercase letter, then up to 63 lowercase letters, ` + 'digits or "_"');
    }
    if (change === null) merged.delete(name);
    else merged.set(name, complete(change, `vectors.${name}`));
  }
  if (merged.size > MAX_FIELDS)
    throw new ServiceError('invalid_argument', `vectors must have at most ${MAX_FIELDS} fields, got ${merged.size}`);
  return merged.size === 0 ? undefined : Object.fromEntries(merged);
}

function complete(change: Partial<VectorField>, path: string): VectorField {
  if (change.source === 'provider') return completeProvided(change, path);
  const { kind = 'dense', dimensions, metric = 'cosine', quantization = 'float32', source = 'supplied' } = change;
  if (change.embedding !== undefined)
    throw refusal(`${path}.embedding must not be set for the source supplied, got ${change.embedding}`);
  if (kind !== 'sparse') {
    if (dimensions === undefined) throw refusal(`${path}.dimensions is missing: a field of the kind ${kind} needs it`);
    return { kind, dimensions, metric, quantization, source };
  }
  if (dimensions !== undefined)
    throw refusal(`${path}.dimensions must not be set for the kind sparse, got ${dimensions}`);
  if (metric === 'euclidean')
    throw refusal(`${path}.metric must be dot_product for the kind sparse, got ${metric}`);
  if (quantization !== 'float32')
    throw refusal(`${path}.quantization must be float32 for the kind sparse, got ${quantization}`);
  return { kind, dimensions: 0, metric: 'dot_product', quantization, source };
}

/** The model decides what the vectors of a provider are. */
function completeProvided(
  { embedding, kind = 'dense', dimensions, metric = 'cosine', quantization = 'float32' }: Partial<VectorField>,
  path: string,
): VectorField {
  if (embedding === undefined)
    throw refusal(`${path}.embedding is missing: a field of the source provider needs an embedding configuration`);
  if (dimensions !== undefined)
    throw refusal(
      `${path}.dimensions must not be set for the source provider, whose model decides them; got ${dimensions}`,
    );
  if (kind !== 'dense') throw refusal(`${path}.kind must be dense for the source provider, got ${kind}`);
  if (metric !== 'cosine')
    throw refusal(`${path}.metric must be cosine for the source provider, whose searches name another; got ${metric}`);
  return { kind, dimensions: 0, metric, quantization, source: 'provider', embedding };
}

/**
 * The name by which searches reach the vectors of the server's own provider in a collection with another default: no
 * field can have it.
 */
export const SERVER_FIELD = '_server';

/** The part of a collection's configuration that decides about embeddings. */
export interface EmbeddingChoice {
  readonly vectors?: VectorFields;
  readonly defaultVectorField?: string;
  readonly serverVectors?: boolean;
}

/**
 * The space of embeddings of a field, of the collection's default one unless it is named: the id of its embedding
 * configuration, or '' for the server's provider. Undefined for a field of supplied vectors, and for one that is not
 * declared.
 */
export function spaceOfField({ vectors = {}, defaultVectorField }: EmbeddingChoice = {},
  name = defaultVectorField ?? SERVER_FIELD): string | undefined
{
  if (name === SERVER_FIELD) return '';
  return Object.hasOwn(vectors, name) ? vectors[name]!.embedding : undefined;
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

/** Whether a name is that of a field of supplied vectors. */
export function isSupplied(vectors: VectorFields = {}, name: string | undefined): name is string {
  return name !== undefined && Object.hasOwn(vectors, name) && vectors[name]!.source === 'supplied';
}

/** The field whose vectors are in a space of embeddings. */
export function fieldOfSpace(vectors: VectorFields = {}, space: string): VectorField | undefined {
  return Object.values(vectors).find(({ embedding }) => embedding === space);
}

/** The spaces in which documents of a collection are to have vectors. */
export function spacesOf({ vectors = {}, serverVectors = true }: EmbeddingChoice = {}): string[] {
  const provided = Object.values(vectors).flatMap(({ embedding }) => embedding ?? []);
  return [...new Set([...serverVectors ? [''] : [], ...provided])];
}

/** Throws `invalid_argument` for a default field that is not one of a provider. */
export function checkDefaultField(choice: EmbeddingChoice): void {
  const { vectors = {}, defaultVectorField: name } = choice;
  if (name === undefined || spaceOfField(choice, name) !== undefined) return;
  const provided = Object.keys(vectors).filter((each) => vectors[each]!.source === 'provider');
  throw refusal(
    `defaultVectorField must be ${SERVER_FIELD} or a declared field of the source provider, ${
      provided.length === 0 ? 'of which there are none' : provided.join(', ')
    }; got ${name}`,
  );
}

function refusal(message: string): ServiceError {
  return new ServiceError('invalid_argument', message);
}

/** The fields whose stored vectors a change would make unusable: they have another kind, dimension or metric. */
export function changedFields(before: VectorFields = {}, after: VectorFields = {}): string[] {
  return Object.keys(before).filter((name) => {
    const [old, next] = [before[name]!, after[name]];
    return next !== undefined &&
      (old.kind !== next.kind || old.dimensions !== next.dimensions || old.metric !== next.metric);
  });
}
