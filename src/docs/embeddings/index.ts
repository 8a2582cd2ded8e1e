/** The door of the embeddings area. */
export { createEmbeddings, type Embeddings, type EmbeddingsAreas, type TextVectors } from './embeddings.ts';
export type { Chunker, Cuttable, DocumentChunk } from './chunker.ts';
export type { ChunkPlace, ModelIdentity, StoredType, StoredVector } from './vector-rows.ts';
