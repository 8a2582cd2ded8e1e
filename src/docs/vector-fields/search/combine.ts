import { OrdSet } from '../../../lib/ord-set.ts';
import type { Algorithm } from '../../../search/vector/index.ts';
import type { Component } from './components.ts';

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

/** Up to this many bytes of vectors that are compared, all documents are scored, so that the best are exact. */
const ALL_BYTES = 32 * 2 ** 20;
/** Number of candidates of each component for each wanted document, and its minimum. */
const OVERSAMPLE = 10;
const LEAST = 500;
/** Documents that are scored by one search of a component: their rows are looked up instead of testing all. */
const GROUP = 64;

/**
 * The best documents by the sum of their similarities to all components, each that of their best vector, times its
 * weight; what a document has no vector for adds 0. With the vectors of a query's tokens as components, this is the sum
 * of greatest similarities of late interaction (MaxSim; Khattab and Zaharia, "ColBERT", SIGIR 2020). Where all are too
 * many, candidates are the nearest of each component; every score is exact. Hits name the first vector of a document.
 */
export async function combine(components: readonly Component[],
  { k, threshold = -Infinity, oversample = OVERSAMPLE, filter }: Wanted): Promise<Combined>
{
  const sums = new Map<number, number>();
  let used: Algorithm = 'flat';
  if (components.reduce((sum, { scannedBytes }) => sum + scannedBytes, 0) <= ALL_BYTES) {
    await addScores(components, ({ documents }) => documents, filter, sums);
  } else {
    const wanted = Math.max(LEAST, Math.ceil(k * oversample));
    const nearest = await Promise.all(components.map((component) => component.nearest(wanted, filter, false)));
    used = nearest.find(({ algorithm }) => algorithm !== 'flat')?.algorithm ?? 'flat';
    const candidates = [...new Set(nearest.flatMap(({ hits }) => hits.map(({ ord }) => ord)))];
    for (let i = 0; i < candidates.length; i += GROUP) {
      const some = candidates.slice(i, i + GROUP);
      await addScores(components, () => some.length, OrdSet.of(some), sums);
    }
  }
  const hits = [...sums].map(([ord, score]) => ({ ord, chunk: 0, score: Math.fround(score) })).filter(({ score }) =>
    score >= threshold
  ).sort((a, b) => b.score - a.score || a.ord - b.ord).slice(0, k);
  return { hits, algorithm: used };
}

/** Adds the similarities of documents to all components to their sums. `countOf`: how many documents have any. */
async function addScores(components: readonly Component[], countOf: (component: Component) => number,
  filter: OrdSet | undefined, sums: Map<number, number>): Promise<void>
{
  const found = await Promise.all(components.map((component) => component.nearest(countOf(component), filter, true)));
  for (const [at, { hits }] of found.entries()) {
    const { weight } = components[at]!;
    for (const { ord, score } of hits) sums.set(ord, (sums.get(ord) ?? 0) + score * weight);
  }
}
