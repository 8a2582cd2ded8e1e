/** The quality of rankings, averaged over the queries of a collection; each from 0 to 1. */
export interface Quality {
  readonly ndcg10: number;
  readonly map: number;
  readonly recall100: number;
}

type Relevance = ReadonlyMap<string, number>;

/**
 * The quality of rankings by query; a ranking contains ids of documents, best first. Queries without a relevant
 * document are left out; one without a ranking counts as zero.
 */
export function qualityOf(rankings: ReadonlyMap<string, readonly string[]>,
  judgements: ReadonlyMap<string, Relevance>): Quality
{
  const judged = [...judgements].filter(([, relevance]) => relevantIn(relevance) > 0);
  const mean = (measure: (ranking: readonly string[], relevance: Relevance) => number) =>
    judged.reduce((sum, [query, relevance]) => sum + measure(rankings.get(query) ?? [], relevance), 0) / judged.length;
  return { ndcg10: mean(ndcg10), map: mean(averagePrecision), recall100: mean(recall100) };
}

/**
 * Normalised discounted cumulative gain of the first ten, with the judgement as the gain (Järvelin and Kekäläinen,
 * 2002).
 */
function ndcg10(ranking: readonly string[], relevance: Relevance): number {
  const ideal = [...relevance.values()].sort((a, b) => b - a);
  return discounted(ranking.map((id) => relevance.get(id) ?? 0)) / discounted(ideal);
}

function discounted(gains: readonly number[]): number {
  return gains.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
}

/** The mean of the precision at the rank of each relevant document; 0 for a document that is not in the ranking. */
function averagePrecision(ranking: readonly string[], relevance: Relevance): number {
  let found = 0;
  let sum = 0;
  for (const [rank, id] of ranking.entries()) if ((relevance.get(id) ?? 0) > 0) sum += ++found / (rank + 1);
  return sum / relevantIn(relevance);
}

function recall100(ranking: readonly string[], relevance: Relevance): number {
  return ranking.slice(0, 100).filter((id) => (relevance.get(id) ?? 0) > 0).length / relevantIn(relevance);
}

function relevantIn(relevance: Relevance): number {
  return [...relevance.values()].filter((value) => value > 0).length;
}

/** Mean reciprocal rank of the first correct one among the first ten; 0 if there is none (Voorhees, TREC-8, 1999). */
export function mrr10(
  rankings: readonly { readonly ranking: readonly string[]; readonly expected: ReadonlySet<string> }[],
): number {
  const reciprocal = ({ ranking, expected }: (typeof rankings)[number]): number => {
    const rank = ranking.slice(0, 10).findIndex((id) => expected.has(id));
    return rank < 0 ? 0 : 1 / (rank + 1);
  };
  return rankings.reduce((sum, one) => sum + reciprocal(one), 0) / rankings.length;
}
