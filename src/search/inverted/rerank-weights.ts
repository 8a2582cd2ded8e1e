import type { RerankWeights } from './rerank.ts';

/**
 * Weights of the features by which the best documents are reranked. Fitted, not chosen: `node fit-rerank.ts --write` in
 * bench/ writes this file, from half of the known items and questions about MDN, and half of the queries of Cranfield,
 * MED and dialogues. Of weights between which these do not decide, those are here by which `tfidf` ranks each kind of
 * query as well as the other algorithms (`npm run bench -- ranking`).
 */
export const RERANK_WEIGHTS: RerankWeights = {
  names: {
    covered: 0.7,
    near: 0.55,
    ordered: 0.35,
    title: 0.1,
    wholeTitle: 1.1,
    exactTitle: 0.4,
    exactKey: 0.7,
    named: 1.15,
    frequent: 1.3,
  },
  questions: {
    covered: 0.25,
    near: 0,
    ordered: 1.05,
    title: 0,
    wholeTitle: 0.3,
    exactTitle: 0.1,
    exactKey: 0,
    named: 0,
    frequent: 0.6,
  },
};
