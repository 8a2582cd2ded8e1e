import type { EmbeddingKernel } from '../../kernels/embedding.ts';
import { addWord } from './hash-features.ts';

/** The vector of a text by `static-en-256`, of length 1. */
export function embedText(kernel: EmbeddingKernel, text: string): Float32Array {
  return kernel.vector(text) ?? spelling(text, kernel.dims);
}

/**
 * A direction derived from the spelling of a text of which the model knows no token, such as an emoji: similar only to
 * texts with the same words.
 */
function spelling(text: string, dims: number): Float32Array {
  const vector = new Float32Array(dims);
  for (const word of new Set(text.trim().toLowerCase().slice(0, 1000).split(/\s+/))) addWord(vector, word, 1);
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector.fill(1 / Math.sqrt(dims));
}
