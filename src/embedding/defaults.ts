// What is known about providers and models without a request (decisions, section 4.3).

export interface Defaults {
  readonly url: string;
  readonly model: string;
  /** Vector size of an unknown model until its first response. */
  readonly dimensions: number;
}

export const OPENAI: Defaults = { url: 'https://api.openai.com/v1', model: 'text-embedding-3-small', dimensions: 1536 };
export const VOYAGE: Defaults = { url: 'https://api.voyageai.com/v1', model: 'voyage-3', dimensions: 1024 };
export const OLLAMA: Defaults = { url: 'http://localhost:11434', model: 'nomic-embed-text', dimensions: 768 };
/** Default URLs of providers. */
export const DEFAULT_URLS = { openai: OPENAI.url, voyage: VOYAGE.url, ollama: OLLAMA.url } as const;
/** Size shown for an unknown in-process model until its first result. */
export const UNKNOWN_DIMENSIONS = 768;

/** Native sizes of models, from their makers' documentation; names in lower case. */
const NATIVE_DIMENSIONS: ReadonlyMap<string, number> = new Map([['text-embedding-3-small', 1536], [
  'text-embedding-3-large',
  3072,
], ['text-embedding-ada-002', 1536], ['voyage-3', 1024], ['voyage-3-large', 1024], ['voyage-3-lite', 512], [
  'voyage-3.5',
  1024,
], ['voyage-3.5-lite', 1024], ['voyage-code-3', 1024], ['voyage-finance-2', 1024], ['voyage-law-2', 1024], [
  'nomic-embed-text',
  768,
], ['nomic-ai/nomic-embed-text-v1', 768], ['nomic-ai/nomic-embed-text-v1.5', 768], ['mxbai-embed-large', 1024], [
  'all-minilm',
  384,
], ['bge-m3', 1024], ['embeddinggemma', 768], ['xenova/all-minilm-l6-v2', 384], ['onnx-community/all-minilm-l6-v2-onnx',
  384]]);

/** Returns undefined for an unknown model. Ollama's `:latest` names the same model. */
export function nativeDimensions(model: string): number | undefined {
  return NATIVE_DIMENSIONS.get(model.toLowerCase().replace(/:latest$/, ''));
}
