import { EmbeddingError } from '../embedding-error.ts';
import type { RemoteFormat, Send } from './remote-format.ts';

/**
 * Ollama's format. Servers before 0.3 support only `/api/embeddings`, with one text per call. Both paths also return
 * 404 for a model that was not pulled, so the result of the older path decides.
 */
export function ollamaFormat(model: string): RemoteFormat {
  let old = false;
  return async (texts, _role, send) => {
    if (!old) {
      try {
        return ((await send('/api/embed', { model, input: texts })) as { embeddings?: unknown } | null)?.embeddings;
      } catch (error) {
        if (!(error instanceof EmbeddingError) || error.status !== 404) throw error;
      }
    }
    const embeddings = await oneByOne(model, texts, send);
    old = true;
    return embeddings;
  };
}

async function oneByOne(model: string, texts: readonly string[], send: Send): Promise<unknown[]> {
  const embeddings: unknown[] = [];
  for (const prompt of texts)
    embeddings.push(((await send('/api/embeddings', { model, prompt })) as { embedding?: unknown } | null)?.embedding);
  return embeddings;
}
