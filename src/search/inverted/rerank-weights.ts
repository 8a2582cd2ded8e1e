import type { FeatureWeights } from './rerank.ts';

/**
 * Weights of the features by which the best documents are reranked. Fitted, not chosen: `node fit-rerank.ts --write` in bench/ writes this
 * file, from half of the known items drawn from MDN and half of the queries of Cranfield and MED.
 */
export const RERANK_WEIGHTS: FeatureWeights = { covered: 0.75, near: 0.7, ordered: 0.5, title: 0, wholeTitle: 3.05, exactTitle: 0, exactKey: 1.4, named: 1.95, frequent: 0 };
