/** Combines a lexical and a vector ranking of the same documents. */
export { fuse, type Component, type FusedHit, type Fusion, type MeaningHit, type WordsHit } from './fuse.ts';
export { reorder, REORDERED } from './reorder.ts';
export { fittedAlpha } from './fitted-alpha.ts';
