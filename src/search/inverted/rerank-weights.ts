import type { FeatureWeights } from './rerank.ts';

/**
 * Weights of the features by which the best documents are reranked. Fitted, not chosen: `node fit-rerank.ts --write` in
 * bench/ writes this file, from half of the known items drawn from MDN and half of the queries of Cranfield and MED.
 */
export const RERANK_WEIGHTS: FeatureWeights = {
  covered: 0.25,
  near: 0.75,
  ordered: 0.5,
  title: 0.2,
  wholeTitle: 1.25,
  exactTitle: 1.2,
  exactKey: 0.45,
  named: 1.6,
  frequent: 1.05,
};
