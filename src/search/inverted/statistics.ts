import { type InvertedKernel, MAX_FIELDS } from '../../kernels/inverted.ts';
import { type Scoring, type ScoringAlgorithm, scoringFor } from './algorithm.ts';
import { checkField, type Field, type FieldNumbers, MAX_NAMED_FIELDS, SHARED_FIELD } from './fields.ts';

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

/** The algorithm whose statistics are those of all fields that have a number. */
export function countingAll(fieldNames: readonly string[]): ScoringAlgorithm {
  return { kind: 'bm25', fields: [...NUMBERED, ...fieldNames] };
}

/**
 * The statistics of an algorithm, by those of `countingAll`: the same as `statisticsOf`. Throws a RangeError on a field
 * that does not exist.
 */
export function statisticsAmong({ live, tokens, fields: all }: Statistics, algorithm: ScoringAlgorithm): Statistics {
  const fields = new Map<Field, FieldCounts>();
  const hasMore = all.size < NUMBERED.length + MAX_NAMED_FIELDS;
  for (const field of fieldsOf(algorithm)) {
    const counted = typeof field === 'number' ? checkField(field) : all.has(field) || hasMore ? field : SHARED_FIELD;
    const counts = all.get(counted);
    if (counts !== undefined) fields.set(counted, counts);
  }
  return { live, tokens, fields };
}

/** The statistics of several indexes together. */
export function sumOf(all: readonly Statistics[]): Statistics {
  const fields = new Map<Field, { tokens: number; documents: number }>();
  let [live, tokens] = [0, 0];
  for (const one of all) {
    live += one.live;
    tokens += one.tokens;
    for (const [field, counts] of one.fields) {
      const sum = fields.get(field);
      if (sum === undefined) fields.set(field, { ...counts });
      else {
        sum.tokens += counts.tokens;
        sum.documents += counts.documents;
      }
    }
  }
  return { live, tokens, fields };
}

/** Numbers from here on stand for fields that the index lacks, but others of the collection have. */
const ABSENT = MAX_FIELDS;

/**
 * What was computed for other indexes of the collection, by the statistics of a search. It is the same for all indexes
 * if no field has a name.
 */
const known = new WeakMap<Statistics, { readonly algorithm: ScoringAlgorithm; readonly scoring: Scoring }>();

/** An algorithm for an index by the statistics of its collection. Throws a RangeError on parameters out of range. */
export function scoringBy(algorithm: ScoringAlgorithm, statistics: Statistics, numbers: FieldNumbers): Scoring {
  const former = known.get(statistics);
  if (former?.algorithm === algorithm) return former.scoring;
  const scoring = scoringIn(algorithm, statistics, numbers);
  if (![...fieldsOf(algorithm)].some((field) => typeof field === 'string'))
    known.set(statistics, { algorithm, scoring });
  return scoring;
}

function scoringIn(algorithm: ScoringAlgorithm, { live, tokens, fields }: Statistics, numbers: FieldNumbers): Scoring {
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
