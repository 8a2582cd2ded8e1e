import { type InvertedKernel, MAX_FIELDS } from '../../kernels/inverted.ts';
import { type Scoring, type ScoringAlgorithm, scoringFor } from './algorithm.ts';
import { type Field, type FieldNumbers, SHARED_FIELD } from './fields.ts';

interface FieldCounts {
  /** Tokens of live documents in the field. */
  readonly tokens: number;
  /** Live documents that have a token there. */
  readonly documents: number;
}

/** What an algorithm counts in all documents of a collection. Counts of indexes with different documents add up. */
export interface Statistics {
  /** Number of live documents, and of their tokens over all fields but the derived ones. */
  readonly live: number;
  readonly tokens: number;
  /** Counts of the fields that the algorithm needs; a name that no document has had is left out. */
  readonly fields: ReadonlyMap<Field, FieldCounts>;
}

const NO_COUNTS: FieldCounts = { tokens: 0, documents: 0 };

/** The statistics of one index. Throws a RangeError on a field that does not exist. */
export function statisticsOf(kernel: InvertedKernel, numbers: FieldNumbers, algorithm: ScoringAlgorithm): Statistics {
  const { live, tokens } = kernel.counts();
  const fields = new Map<Field, FieldCounts>();
  for (const field of fieldsOf(algorithm)) {
    const number = numbers.find(field);
    if (number !== undefined) fields.set(numbers.nameOf(number), kernel.fieldCounts(number));
  }
  return { live, tokens, fields };
}

/** The statistics of several indexes together. */
export function sumOf(all: readonly Statistics[]): Statistics {
  const fields = new Map<Field, FieldCounts>();
  for (const [field, { tokens, documents }] of all.flatMap((one) => [...one.fields])) {
    const former = fields.get(field) ?? NO_COUNTS;
    fields.set(field, { tokens: former.tokens + tokens, documents: former.documents + documents });
  }
  return {
    live: all.reduce((sum, { live }) => sum + live, 0),
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    fields,
  };
}

/** Numbers from here on stand for fields that the index lacks, but others of the collection have. */
const ABSENT = MAX_FIELDS;

/** An algorithm for an index by the statistics of its collection. Throws a RangeError on parameters out of range. */
export function scoringBy(algorithm: ScoringAlgorithm, { live, tokens, fields }: Statistics,
  numbers: FieldNumbers): Scoring
{
  const absent: Field[] = [];
  const scoring = scoringFor(algorithm, {
    live,
    tokens,
    numberOf: (field) => numbers.find(field) ?? (fields.has(field) ? ABSENT + absent.push(field) - 1 : undefined),
    countsOf: (number) => fields.get(number < ABSENT ? numbers.nameOf(number) : absent[number - ABSENT]!) ?? NO_COUNTS,
  });
  if (absent.length === 0) return scoring;
  const factors = scoring.parameters.factors?.filter(({ field }) => field < ABSENT);
  return { ...scoring, parameters: { ...scoring.parameters, factors } };
}

/** The fields whose counts an algorithm needs. */
function fieldsOf(algorithm: ScoringAlgorithm): Iterable<Field> {
  if (algorithm.kind === 'bm25') return algorithm.fields ?? [];
  if (algorithm.kind === 'bm25f') return algorithm.weights.keys();
  return new Set([...NUMBERED, ...algorithm.weights?.keys() ?? []]);
}

/** The fields that have no name. */
const NUMBERED: readonly Field[] = Array.from({ length: SHARED_FIELD + 1 }, (_, field) => field);
