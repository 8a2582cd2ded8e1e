import { OrdSet } from '../../lib/ord-set.ts';
import type { Metric } from './ann-index.ts';
import type { HeldRows } from './held-rows.ts';
import { scoreHits } from './ranking.ts';
import { findRows } from './search-rows.ts';
import type { RowHit } from './segment-search.ts';

/** Scores of the first chunks of documents; see `VectorReader.firstScores`. */
export async function firstScoresOf(held: readonly HeldRows[], ords: readonly number[], vector: Float32Array,
  metric: Metric): Promise<(number | undefined)[]>
{
  for (const rows of held) rows.mustBeOpen();
  const found = held.flatMap((rows) => {
    const segments = rows.segmentsById();
    return ords.flatMap((ord): RowHit[] => {
      const first = rows.firstRowOf(ord, segments);
      return first?.segment.dims === vector.length ? [{ ...first, ord, rank: 0 }] : [];
    });
  });
  const scores = new Map((await scoreHits(found, vector, metric, undefined)).map(({ ord, score }) => [ord, score]));
  return ords.map((ord) => scores.get(ord));
}

/** Scores of the best chunks of documents; see `VectorReader.bestScores`. */
export async function bestScoresOf(held: readonly HeldRows[], ords: readonly number[], vector: Float32Array,
  metric: Metric): Promise<(number | undefined)[]>
{
  const scores = new Map<number, number>();
  // So few at once that their rows are looked up, instead of testing all.
  const group = Math.max(1, Math.min(...held.map(({ fewDocuments }) => fewDocuments)));
  for (let i = 0; i < ords.length; i += group) {
    const some = ords.slice(i, i + group);
    const filter = OrdSet.of(some).words;
    const { rows } = await findRows(held, {
      vector,
      metric,
      k: some.length,
      enough: some.length,
      perDocument: true,
      filter,
    });
    for (const { ord, score } of await scoreHits(rows, vector, metric, undefined)) scores.set(ord, score);
  }
  return ords.map((ord) => scores.get(ord));
}
