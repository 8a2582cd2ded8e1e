import { ServiceError } from '../../errors/index.ts';

/**
 * How a field holds the vectors that clients supply: one for a document or for each of its passages (`dense`), or one
 * for each token, which late interaction compares (`multi`), or one of few of many dimensions (`sparse`).
 */
export type VectorFieldKind = 'dense' | 'multi' | 'sparse';

/** A declared field of vectors. */
export interface VectorField {
  readonly kind: VectorFieldKind;
  /** 0 for the kind `sparse`, whose dimensions are all numbers of 32 bits. */
  readonly dimensions: number;
  readonly metric: 'cosine' | 'dot_product' | 'euclidean';
  readonly quantization: 'float32' | 'int8' | 'int4';
  readonly source: 'supplied';
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

function complete(
  { kind = 'dense', dimensions, metric = 'cosine', quantization = 'float32', source = 'supplied' }: Partial<
    VectorField
  >,
  path: string,
): VectorField {
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
