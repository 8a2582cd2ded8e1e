export { chunkCode } from './code.ts';
export { lexicalProfile } from './lexical-profile.ts';
export { withoutMarkup } from './markup.ts';
export type { Chunk } from './pack.ts';
export { chunkProse } from './prose.ts';
