/** The entry point of the curation area. */
export { createCuration, type Curation } from './curation.ts';
export { applyCuration, withoutPins, hidesFor, pinsFor, type Curated, type Hit } from './apply.ts';
export type { CurationRule, Pin } from './curation-rule.ts';
