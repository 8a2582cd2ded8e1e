/** The entry point of the embeddings area. */
export { embeddedText } from './chunker.ts';
export { createEmbeddings, type Embeddings, type SpaceEmbeddings } from './embeddings.ts';
export type { Encoder, Rerank } from './encoder/encoder.ts';
export type { DocumentVectors } from './store-vectors.ts';
export { fromBlob } from './vector-blob.ts';
export type { ModelIdentity, StoredVector } from './vector-rows.ts';
export type { FieldStates } from './vector-stats.ts';
