import { OrdSet } from '../../../lib/ord-set.ts';
import type { Algorithm } from '../../../search/vector/index.ts';

/** A vector of the query with what it is compared with. */
export interface Component {
  /** The index, which has the ordinals of its documents. */
  readonly index: { ords(): Iterable<number> };
  /** By what its similarity is multiplied. */
  readonly weight: number;
  /** The best documents, each once; `isExact` forbids an approximate search. */
  nearest(k: number, filter: OrdSet | undefined, isExact: boolean): Promise<{
    readonly hits: readonly { readonly ord: number; readonly score: number }[];
    readonly algorithm: Algorithm;
  }>;
}

interface Wanted {
  readonly k: number;
  readonly threshold: number | undefined;
  readonly oversample: number | undefined;
  /** The only documents that may be found; all when undefined. */
  readonly filter: OrdSet | undefined;
}

interface Combined {
  readonly hits: readonly { readonly ord: number; readonly chunk: number; readonly score: number }[];
  readonly algorithm: Algorithm;
}

/** Up to this many documents, all are scored, so that the best are exact. */
const ALL = 1000;
/** Number of candidates of each component for each wanted document, and its minimum. */
const OVERSAMPLE = 4;
const LEAST = 100;
/** Documents that are scored by one search of a component: their rows are looked up instead of testing all. */
const GROUP = 64;

/**
 * The best documents by the sum of their similarities to all components, each that of their best vector, times its
 * weight; what a document has no vector for adds 0. With the vectors of a query's tokens as components, this is the sum
 * of greatest similarities of late interaction (MaxSim; Khattab and Zaharia, "ColBERT", SIGIR 2020). Candidates are
 * the nearest of each component, and every score is exact. Hits name the first vector of a document.
 */
export async function combine(components: readonly Component[],
  { k, threshold = -Infinity, oversample = OVERSAMPLE, filter }: Wanted): Promise<Combined>
{
  const indexes = new Set(components.map(({ index }) => index));
  const present = new Set(
    [...indexes].flatMap((index) => [...index.ords()]).filter((ord) => filter?.has(ord) !== false),
  );
  const isSmall = present.size <= ALL;
  const nearest = isSmall
    ? []
    : await Promise.all(
      components.map((component) => component.nearest(Math.max(LEAST, Math.ceil(k * oversample)), filter, false)),
    );
  const candidates = isSmall ? present : new Set(nearest.flatMap(({ hits }) => hits.map(({ ord }) => ord)));
  const scores = await scoresOf(components, [...candidates].sort((a, b) => a - b));
  const hits = [...scores].map(([ord, score]) => ({ ord, chunk: 0, score: Math.fround(score) })).filter(({ score }) =>
    score >= threshold
  ).sort((a, b) => b.score - a.score || a.ord - b.ord).slice(0, k);
  return { hits, algorithm: nearest.find(({ algorithm }) => algorithm !== 'flat')?.algorithm ?? 'flat' };
}

/** The exact sums of some documents. */
async function scoresOf(components: readonly Component[],
  ords: readonly number[]): Promise<ReadonlyMap<number, number>>
{
  const scores = new Map<number, number>(ords.map((ord) => [ord, 0]));
  for (let i = 0; i < ords.length; i += GROUP) {
    const some = ords.slice(i, i + GROUP);
    const filter = OrdSet.of(some);
    const found = await Promise.all(components.map((component) => component.nearest(some.length, filter, true)));
    for (const [at, { hits }] of found.entries()) {
      for (const { ord, score } of hits)
        scores.set(ord, scores.get(ord)! + score * components[at]!.weight);
    }
  }
  return scores;
}
