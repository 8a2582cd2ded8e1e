export { createDocumentReader, type DocumentReader } from './document-reader.ts';
export { LIMITS } from './limits.ts';
export { type Position, positionOf } from './positions.ts';
