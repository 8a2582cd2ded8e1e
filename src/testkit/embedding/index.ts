export type { Behaviour } from './behaviour.ts';
export { QuickTimer } from './quick-timer.ts';
export { startEmbeddingServer } from './server.ts';
export type { EmbeddingRequest, EmbeddingServer, EmbeddingServerOptions } from './server.ts';
export { writeTinyModel } from './tiny-model.ts';
export type { TinyModel } from './tiny-model.ts';
export { wordVector } from './word-vector.ts';
