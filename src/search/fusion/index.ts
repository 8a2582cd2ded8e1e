/** Combines a lexical and a vector ranking of the same documents. */
export { fittedAlpha } from './fitted-alpha.ts';
export { type Component, fuse, type FusedHit, type Fusion, type MeaningHit, type WordsHit } from './fuse.ts';
export { reorder, REORDERED } from './reorder.ts';
