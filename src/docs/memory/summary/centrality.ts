import { Pace } from '../../../lib/pace.ts';
import type { Bag, Vocabulary } from './bags.ts';

/**
 * How central each sentence is: the mean cosine of its TF-IDF vector with those of all sentences (Erkan and Radev,
 * "LexRank", 2004, degree centrality without a threshold). The sum of cosines of unit vectors is one product with the
 * sum of the vectors, so the work grows with the number of words and not of pairs.
 */
export async function centralities(bags: readonly Bag[], vocabulary: Vocabulary,
  signal?: AbortSignal): Promise<Float64Array>
{
  const weights = vocabulary.weights(bags.length);
  const sum = new Float64Array(vocabulary.size);
  const lengths = new Float64Array(bags.length);
  const pace = new Pace();
  for (const [i, { terms, counts }] of bags.entries()) {
    let square = 0;
    for (let j = 0; j < terms.length; j++) square += (counts[j]! * weights[terms[j]!]!) ** 2;
    const length = lengths[i] = Math.sqrt(square);
    for (let j = 0; j < terms.length; j++) sum[terms[j]!]! += (counts[j]! * weights[terms[j]!]!) / length;
    if ((i & 63) === 0) await pace.rest();
    signal?.throwIfAborted();
  }
  const scores = new Float64Array(bags.length);
  for (const [i, { terms, counts }] of bags.entries()) {
    let product = 0;
    for (let j = 0; j < terms.length; j++) product += counts[j]! * weights[terms[j]!]! * sum[terms[j]!]!;
    scores[i] = lengths[i] === 0 ? 0 : product / lengths[i]! / bags.length;
    if ((i & 63) === 0) await pace.rest();
  }
  return scores;
}
