import { setImmediate } from 'node:timers/promises';
import { EmbeddingKernel, type ModelMemory } from '../../kernels/embedding.ts';
import { cancelled, checkTexts, closed, type EmbeddingProvider, type EmbeddingRole, MAX_BATCH,
  type TokenMatcher } from '../provider.ts';
import { embedText, tokenModel } from './token-model.ts';

export const STATIC_MODEL = 'static-en-256';
export const STATIC_DIMENSIONS = 256;
export const STATIC_VARIANT = 'static-1';

/** Number of UTF-16 units embedded between two pauses: one or two milliseconds of work. */
const UNITS_AT_A_TIME = 50_000;

/**
 * The model `static-en-256`: a text's vector is the sum of its tokens' vectors, which were fitted to an encoder of
 * English sentences (`models/README.md`). It finds synonyms, needs no network, and runs in WebAssembly on this thread,
 * or on another one with its `sharedModel`. The role has no effect on the vectors. Only the first 100,000 characters of
 * a text are embedded.
 */
export class StaticProvider implements EmbeddingProvider {
  readonly name = 'builtin';
  readonly model = STATIC_MODEL;
  readonly dimensions = STATIC_DIMENSIONS;
  readonly variant = STATIC_VARIANT;
  readonly maxBatch = MAX_BATCH;
  /** The sum of many tokens is unspecific, so passages are short; measured in bench/meaning.ts. */
  readonly passages = { size: 350, leadWeight: 0.3, stored: 'int8' } as const;
  #kernel: Promise<EmbeddingKernel> | undefined;
  #closed = false;

  async embed(texts: readonly string[], _role: EmbeddingRole, signal?: AbortSignal): Promise<Float32Array[]> {
    checkTexts(texts);
    this.#mustGoOn(signal);
    const kernel = await this.#open();
    const vectors: Float32Array[] = [];
    let since = 0;
    for (const text of texts) {
      if (since > UNITS_AT_A_TIME) {
        await setImmediate();
        since = 0;
      }
      this.#mustGoOn(signal);
      since += Math.min(text.length, kernel.maxLength);
      vectors.push(embedText(kernel, text));
    }
    return vectors;
  }

  async sharedModel(): Promise<ModelMemory> {
    this.#mustGoOn(undefined);
    return tokenModel();
  }

  async matcher(): Promise<TokenMatcher> {
    this.#mustGoOn(undefined);
    const kernel = await this.#open();
    return {
      tokensOf: (text) => Uint16Array.from(new Set(kernel.tokens(text))),
      matches: (query, texts) => kernel.matches(query, texts),
    };
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#kernel = undefined;
    return Promise.resolve();
  }

  #open(): Promise<EmbeddingKernel> {
    return this.#kernel ??= tokenModel().then((model) => sharedKernel ??= new EmbeddingKernel(model)).catch(
      (error: unknown) => {
        this.#kernel = undefined;
        throw error;
      },
    );
  }

  #mustGoOn(signal: AbortSignal | undefined): void {
    if (this.#closed) throw closed();
    if (signal?.aborted) throw cancelled(signal);
  }
}

/** One for all providers of this thread, because its working memory is a megabyte that could not be released. */
let sharedKernel: EmbeddingKernel | undefined;
