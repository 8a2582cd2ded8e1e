/** The entry point of the embeddings area. */
export { type Chunker, type Cuttable, type DocumentChunk, embeddedText } from './chunker.ts';
export { createEmbeddings, type Embeddings, type EmbeddingsAreas, type TextVectors } from './embeddings.ts';
export type { Encoder, Rerank } from './encoder/encoder.ts';
export type { DocumentVectors } from './store-vectors.ts';
export { fromBlob } from './vector-blob.ts';
export type { ChunkPlace, ModelIdentity, StoredType, StoredVector } from './vector-rows.ts';
