import { setImmediate } from 'node:timers/promises';
import { cancelled, checkTexts, closed, type EmbeddingProvider, type EmbeddingRole, MAX_BATCH } from '../provider.ts';
import { addWord, countWords, weight } from './hash-features.ts';

export const HASHED_MODEL = 'hashed-ngrams';
export const HASHED_DIMENSIONS = 768;
export const HASHED_VARIANT = 'lexical-1';

// Number of words between two pauses, a few milliseconds of work.
const WORDS_AT_A_TIME = 5_000;

/**
 * The model `hashed-ngrams`: vectors from the words of a text and their character trigrams. Texts are similar if they
 * share words, whatever the words mean, in any language.
 */
export class HashedProvider implements EmbeddingProvider {
  readonly name = 'builtin';
  readonly model = HASHED_MODEL;
  readonly dimensions = HASHED_DIMENSIONS;
  readonly variant = HASHED_VARIANT;
  readonly maxBatch = MAX_BATCH;
  #closed = false;

  /** The role has no effect. */
  async embed(texts: readonly string[], _role: EmbeddingRole, signal?: AbortSignal): Promise<Float32Array[]> {
    if (this.#closed) throw closed();
    if (signal?.aborted) throw cancelled(signal);
    checkTexts(texts);
    const vectors: Float32Array[] = [];
    for (const text of texts) vectors.push(await this.#embed(text, signal));
    return vectors;
  }

  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  async #embed(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    const vector = new Float64Array(HASHED_DIMENSIONS);
    let sinceLastPause = Infinity;
    for (const [word, times] of countWords(text)) {
      if (sinceLastPause++ >= WORDS_AT_A_TIME) {
        await setImmediate();
        if (this.#closed) throw closed();
        if (signal?.aborted) throw cancelled(signal);
        sinceLastPause = 0;
      }
      addWord(vector, word, weight(word, times));
    }
    return toUnit(vector);
  }
}

function toUnit(vector: Float64Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  // Features that cancel each other out exactly leave a zero vector, for which a fixed direction is used.
  if (length === 0) return Float32Array.from(vector, (_, i) => (i === 0 ? 1 : 0));
  return Float32Array.from(vector, (value) => value / length);
}
