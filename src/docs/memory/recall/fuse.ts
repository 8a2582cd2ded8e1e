import type { RecallStrategy } from '../../../../generated/docs/sdk/types.gen.ts';
import type { TextHit } from '../../fulltext/index.ts';
import type { Fusion } from './request.ts';

/** A document that was found, and by what. */
export interface RecallHit extends TextHit {
  readonly by: RecallStrategy;
}

/** Of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
const RRF_K = 60;

/**
 * Both sides, each best first, as one list (decisions section 4.5): by ranks, 1/(60 + rank) summed over the sides
 * that found a document; or by weights, alpha times its cosine, not below 0, plus 1 - alpha times its score by words
 * over the best one. Ties are in the order of the documents.
 */
export function fuse(words: readonly TextHit[], meaning: readonly TextHit[], fusion: Fusion): RecallHit[] {
  const byWords = fusion.kind === 'rrf' ? byRank(words) : byWeight(words, (1 - fusion.alpha) / (words[0]?.score ?? 1));
  const byMeaning = fusion.kind === 'rrf' ? byRank(meaning) : byWeight(meaning, fusion.alpha);
  const hits = [...new Set([...byWords.keys(), ...byMeaning.keys()])].map((ord): RecallHit => {
    const [w, m] = [byWords.get(ord), byMeaning.get(ord)];
    return { ord, score: (w ?? 0) + (m ?? 0), by: w === undefined ? 'semantic' : m === undefined ? 'keyword' : 'hybrid' };
  });
  return hits.sort((a, b) => b.score - a.score || a.ord - b.ord);
}

function byRank(hits: readonly TextHit[]): Map<number, number> {
  return new Map(hits.map(({ ord }, i) => [ord, 1 / (RRF_K + i + 1)]));
}

function byWeight(hits: readonly TextHit[], weight: number): Map<number, number> {
  return new Map(hits.map(({ ord, score }) => [ord, weight * Math.max(0, score)]));
}
