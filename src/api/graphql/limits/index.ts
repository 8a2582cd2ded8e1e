export { LIMITS } from './limits.ts';
export { createDocumentReader, type DocumentReader } from './document-reader.ts';
export { positionOf, type Position } from './positions.ts';
