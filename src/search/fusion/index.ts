/** Two rankings of the same documents, by words and by meaning, as one. */
export { fuse, type Component, type FusedHit, type Fusion, type MeaningHit, type WordsHit } from './fuse.ts';
export { reorder, REORDERED } from './reorder.ts';
export { fittedAlpha } from './fitted-alpha.ts';
