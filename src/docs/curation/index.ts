/** The entry point of the curation area. */
export { applyCuration, type Curated, hidesFor, pinsFor, withoutPins } from './apply.ts';
export type { CurationRule, Pin } from './curation-rule.ts';
export { createCuration, type Curation } from './curation.ts';
