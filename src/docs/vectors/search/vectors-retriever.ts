import { OrdSet } from '../../../lib/ord-set.ts';
import type { MeaningHit } from '../../../search/fusion/fuse.ts';
import type { Queries } from '../../../storage/index.ts';
import type { FollowingView, Passage, PassageQuery, Retriever } from '../../search/index.ts';
import type { NearestQuery, VectorSearch } from '../vector-search.ts';

export interface VectorsSide extends Pick<VectorSearch, 'searchByVector' | 'passagesOf' | 'chunkCount'> {
  readonly view?: FollowingView | undefined;
}

/** Finds the documents or passages that are nearest to a vector. */
export function vectorsRetriever(side: VectorsSide, sql: Queries, query: Omit<NearestQuery, 'k' | 'eligible'>,
  signal: AbortSignal): Retriever<MeaningHit, PassageQuery, Passage | undefined>
{
  return {
    view: side.view,
    async candidates({ eligible, factors }, { limit: k }) {
      if (factors === undefined) return side.searchByVector({ ...query, k, eligible }, signal);
      const last = (await sql.get<{ ord: number | null }>('SELECT max(ord) AS ord FROM documents'))?.ord ?? 0;
      const found = await Promise.all(
        groupsByFactor(factors, eligible, last).map((group) =>
          side.searchByVector({ ...query, k, eligible: group }, signal)
        ),
      );
      const [{ algorithm, incomparable }] = found as [(typeof found)[number]];
      return {
        hits: found.flatMap(({ hits }) => hits).map((hit) => ({ ...hit, score: hit.score * (factors[hit.ord] ?? 1) })),
        // A group may be so small that its vectors were scanned.
        algorithm: found.some((each) => each.algorithm === 'flat') ? 'flat' : algorithm,
        incomparable,
      };
    },
    features: (passages) =>
      side.passagesOf(passages.map(({ ord, first, last }) => ({
        ord,
        first,
        last: Math.max(first, Math.min(last, side.chunkCount(query.collection, ord) - 1)),
      }))),
  };
}

/**
 * Documents by the effect of boosts: those with raised scores, those with lowered scores, and the rest, as far as they
 * are eligible. The nearest of each group are candidates, because a vector index ranks without boosts: its first
 * results must not displace documents that boosts move to the front. `last` is the greatest ordinal.
 */
function groupsByFactor(factors: Float32Array, eligible: OrdSet | undefined, last: number): readonly OrdSet[] {
  const [gaining, losing, rest] = [new OrdSet(last + 1), new OrdSet(last + 1), OrdSet.upTo(last)];
  for (let ord = 0; ord < factors.length; ord++) {
    const factor = factors[ord]!;
    if (factor === 1) continue;
    (factor > 1 ? gaining : losing).add(ord);
    rest.delete(ord);
  }
  const groups = [gaining, losing, rest];
  if (eligible !== undefined) { for (const group of groups) group.intersect(eligible); }
  return groups;
}
