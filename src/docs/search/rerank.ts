import { type FusedHit, REORDERED } from '../../search/fusion/fuse.ts';
import type { Encoder } from '../embeddings/index.ts';

type Rankable = Pick<FusedHit, 'ord' | 'chunk' | 'score'>;

/** The encoder's scores of hits, by ordinal and passage. */
export interface EncoderScores {
  of(hit: Rankable): number | undefined;
  /** Number of hits that have such a score. */
  readonly count: number;
}

/** Weight of a document's first passage relative to its best one. */
const LEAD_WEIGHT = 0.3;
/**
 * Weight of the encoder's score relative to the search score, of which the greatest counts as 1: fitted to one half of
 * the questions of bench/meaning/, for hybrid and vector search, and confirmed by the other half. With more weight,
 * names and exact words are lost.
 */
const WEIGHT = 0.5;
/**
 * The same where a rare word of the text counts, and what is added for the whole of it; on the sets of bench/meaning/
 * for hybrid search, on both halves.
 */
const WITH_RARE_WORD = { weight: 0.6, rare: 0.3 } as const;

/**
 * Passes the first hits of a search, best first, to the encoder: their best passages and, if hits are `documents`, also
 * their first passages. A hit has a score if all its vectors were available within the budget. `rareWord`, from 0 to 1,
 * is how much a document has a rare word of the text.
 */
export async function scoreByEncoder(encoder: Pick<Encoder, 'similarities'>, text: string, hits: readonly Rankable[],
  documents: boolean, signal?: AbortSignal, rareWord?: (ord: number) => number): Promise<EncoderScores>
{
  const { weight, rare } = rareWord === undefined ? { weight: WEIGHT, rare: 0 } : WITH_RARE_WORD;
  const first = hits.slice(0, REORDERED);
  const one = first.reduce((max, { score }) => Math.max(max, score), 0) || 1;
  const named = first.map((
    { ord, chunk },
  ) => [{ ord, chunk: chunk ?? 0 }, ...(documents && chunk !== undefined && chunk !== 0 ? [{ ord, chunk: 0 }] : [])]);
  const similarities = await encoder.similarities(text, named.flat(), signal);
  const encoderScores = new Map<string, number>();
  let at = 0;
  for (const [i, hit] of first.entries()) {
    const [best, lead = best] = similarities.slice(at, at += named[i]!.length);
    if (best === undefined || lead === undefined) continue;
    encoderScores.set(keyOf(hit),
      weight * ((1 - LEAD_WEIGHT) * best + LEAD_WEIGHT * lead) + (1 - weight) * (hit.score / one) +
        rare * (rareWord?.(hit.ord) ?? 0));
  }
  return { of: (hit) => encoderScores.get(keyOf(hit)), count: encoderScores.size };
}

function keyOf({ ord, chunk }: Rankable): string {
  return `${ord} ${chunk ?? ''}`;
}
