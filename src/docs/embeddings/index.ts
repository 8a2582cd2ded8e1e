/** The entry point of the embeddings area. */
export { createEmbeddings, type Embeddings, type EmbeddingsAreas, type TextVectors } from './embeddings.ts';
export { embeddedText, type Chunker, type Cuttable, type DocumentChunk } from './chunker.ts';
export type { DocumentVectors } from './fresh-vectors.ts';
export { fromBlob } from './vector-blob.ts';
export type { ChunkPlace, ModelIdentity, StoredType, StoredVector } from './vector-rows.ts';
export { scoreByEncoder, type EncoderScores } from './encoder/scores.ts';
export type { Encoder, Rerank } from './encoder/encoder.ts';
