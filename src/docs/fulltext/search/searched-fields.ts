import type { Retrieval } from '../../collections/index.ts';
import { toWeights, usualWeights } from '../view/field-weights.ts';
import type { Algorithm, Field } from '../view/text-index.ts';
import { fieldByName } from '../view/to-indexed.ts';

/** The fields in which a search finds words. */
interface SearchedFields {
  /** Weights for `bm25f`. */
  readonly weights: ReadonlyMap<Field, number>;
  /** The only fields that are searched; undefined for the algorithm's default fields. */
  readonly fields: readonly Field[] | undefined;
  /** Whether the fields that reranking uses are searched: content, title and key. */
  readonly isUsual: boolean;
}

/** Fields that reranking uses. */
const RERANKED = ['content', 'title', 'key'].map(fieldByName);

/**
 * The fields that a `bm25f` search weights are searched; otherwise the searchable fields of the profile, for `bm25f`
 * with the weights of the profile. If the profile has no weight, a searchable field without a default weight has 1.
 */
export function searchedFields(algorithm: Algorithm, asked: Readonly<Record<string, number>> | undefined,
  { fieldWeights, searchableFields }: Retrieval): SearchedFields
{
  const given = asked ?? fieldWeights;
  const weights = given === undefined ? usualWeights : toWeights(given);
  if (searchableFields === undefined || (algorithm === 'bm25f' && asked !== undefined))
    return { weights, fields: algorithm === 'bm25f' ? counting(weights) : undefined, isUsual: true };
  const fields = [...new Set(searchableFields.map(fieldByName))];
  const searched = new Map(fields.map((field) => [field, weights.get(field) ?? (fieldWeights === undefined ? 1 : 0)]));
  return {
    weights: searched,
    fields: algorithm === 'bm25f' ? counting(searched) : fields,
    isUsual: RERANKED.every((field) => fields.includes(field)),
  };
}

function counting(weights: ReadonlyMap<Field, number>): Field[] {
  return [...weights].filter(([, weight]) => weight > 0).map(([field]) => field);
}
