import { EmbeddingError } from './embedding-error.ts';
import { MAX_BATCH } from './provider.ts';

/**
 * Throws unless a provider can embed all of the texts. Blank texts are never accepted: hosted providers refuse the
 * whole batch of a blank text, and others return a meaningless vector for it.
 */
export function checkTexts(texts: readonly string[]): void {
  if (texts.length > MAX_BATCH)
    throw new EmbeddingError(`expected at most ${MAX_BATCH} texts, got ${texts.length}`, { retryable: false });
  const blank = texts.findIndex((text) => text.trim() === '');
  if (blank >= 0)
    throw new EmbeddingError(`text ${blank + 1} of ${texts.length} is blank: it has no embedding`, {
      retryable: false,
    });
}
