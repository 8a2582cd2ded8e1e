import { gathered, readEach } from '../parts/index.ts';
import type { Metric } from './ann-index.ts';
import { bestScoresOf, firstScoresOf } from './document-scores.ts';
import type { HeldRows } from './held-rows.ts';
import { bestCandidates, candidatesOf, hitsOfCandidates } from './part-candidates.ts';
import { planOf, resultOf, searchRows } from './search-rows.ts';
import type { VectorStandIn } from './stand-in.ts';
import type { VectorQuery, VectorResult } from './vector-reader.ts';

/**
 * Searches indexes with different documents as if they were one, of which some are in other processes: the rows that
 * are here together, and each of the others where it is. Exact searches have the same results; approximate ones look
 * for more in each part than in its share of one index.
 */
export async function searchParts(held: readonly HeldRows[], away: readonly VectorStandIn[],
  query: VectorQuery): Promise<VectorResult>
{
  if (away.length === 0) return searchRows(held, query);
  for (const rows of held) rows.mustBeOpen();
  const known = await gathered(() => readEach(away, (part) => ({ part, kinds: part.kinds })));
  const plan = planOf(query, [...held.flatMap(({ kinds }) => kinds), ...known.flatMap(({ kinds }) => kinds)]);
  const { wanted } = plan;
  const asked = known.filter(({ kinds }) => kinds.some(({ dims }) => dims === query.vector.length));
  const found = (await Promise.all([
    held.length === 0 ? [] : candidatesOf(held, wanted).then((own) => [own]),
    gathered(() => readEach(asked, ({ part }) => part.candidates(wanted))),
  ])).flat();
  const hits = await hitsOfCandidates(bestCandidates(found, wanted.k), query.vector, wanted.metric, plan.rescoring);
  return resultOf(query, plan, hits, found);
}

/** How scores of documents are read; see `VectorReader`. */
type ScoresOf = 'firstScores' | 'bestScores';
const HELD_SCORES = { firstScores: firstScoresOf, bestScores: bestScoresOf };

/** Scores of documents; see `VectorReader.firstScores` and `bestScores`. */
export async function scoresOfParts(held: readonly HeldRows[], away: readonly VectorStandIn[], method: ScoresOf,
  ords: readonly number[], vector: Float32Array, metric: Metric): Promise<(number | undefined)[]>
{
  const own = held.length === 0 ? [] : HELD_SCORES[method](held, ords, vector, metric).then((scores) => [scores]);
  if (away.length === 0 || ords.length === 0) return (await own)[0] ?? ords.map(() => undefined);
  const found = await Promise.all([
    own,
    gathered(() => readEach(away, (part) => part.scores(method, ords, vector, metric))),
  ]);
  return definedOf(ords, found.flat());
}

/** What some part has for each document, in the order of the documents. */
export function definedOf<T>(wanted: readonly unknown[],
  found: readonly (readonly (T | undefined)[])[]): (T | undefined)[]
{
  return wanted.map((_, i) => found.find((part) => part[i] !== undefined)?.[i]);
}
