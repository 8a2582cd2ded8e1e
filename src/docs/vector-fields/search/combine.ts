import type { OrdSet } from '../../../lib/ord-set.ts';
import { gathered, readEach } from '../../../search/parts/index.ts';
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
  const add = ({ weight }: Component, ord: number, score: number): void =>
    void sums.set(ord, (sums.get(ord) ?? 0) + score * weight);
  let used: Algorithm = 'flat';
  const bytes = await gathered(() => readEach(components, ({ scannedBytes }) => scannedBytes));
  if (bytes.reduce((sum, each) => sum + each, 0) <= ALL_BYTES) {
    const found = await Promise.all(components.map((each) => each.nearest(each.documents, filter, true)));
    for (const [i, { hits }] of found.entries()) for (const { ord, score } of hits) add(components[i]!, ord, score);
  } else {
    const wanted = Math.max(LEAST, Math.ceil(k * oversample));
    const nearest = await Promise.all(components.map((component) => component.nearest(wanted, filter, false)));
    used = nearest.find(({ algorithm }) => algorithm !== 'flat')?.algorithm ?? 'flat';
    const candidates = [...new Set(nearest.flatMap(({ hits }) => hits.map(({ ord }) => ord)))];
    const scores = await Promise.all(components.map((component) => component.scores(candidates)));
    for (const [i, each] of components.entries()) {
      for (const [at, score] of scores[i]!.entries())
        if (score !== undefined) add(each, candidates[at]!, score);
    }
  }
  const hits = [...sums].map(([ord, score]) => ({ ord, chunk: 0, score: Math.fround(score) })).filter(({ score }) =>
    score >= threshold
  ).sort((a, b) => b.score - a.score || a.ord - b.ord).slice(0, k);
  return { hits, algorithm: used };
}
