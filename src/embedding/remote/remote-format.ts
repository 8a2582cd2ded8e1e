import { EmbeddingError } from '../embedding-error.ts';
import type { EmbeddingRole } from '../provider.ts';

/** Sends JSON to a path under the base URL, with retries; returns the JSON of the response. */
type Send = (path: string, body: object) => Promise<unknown>;

/**
 * The request format of a provider: resolves to the list of embeddings in the order of the texts, not yet validated.
 */
export type RemoteFormat = (texts: readonly string[], role: EmbeddingRole, send: Send) => Promise<unknown>;

/** OpenAI's format, which many servers support. `dimensions` is sent if the model can produce vectors of any size. */
export function openAiFormat(model: string, dimensions: number | undefined): RemoteFormat {
  const asked = dimensions !== undefined && canShorten(model) ? { dimensions } : {};
  return async (input, _role, send) =>
    inOrder(await send('/embeddings', { model, input, encoding_format: 'float', ...asked }));
}

/** True for OpenAI's third generation of models, the only ones that accept `dimensions`. */
export function canShorten(model: string): boolean {
  return model.startsWith('text-embedding-3');
}

/** Voyage's format: OpenAI's, with the role in addition. */
export function voyageFormat(model: string): RemoteFormat {
  return async (input, role: EmbeddingRole, send) =>
    inOrder(await send('/embeddings', { model, input, input_type: role }));
}

/** `{data: [{index, embedding}]}` ordered by index; undefined if an index is missing or duplicated. */
function inOrder(answer: unknown): unknown {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return undefined;
  const embeddings = new Map(
    (data as ({ index?: unknown; embedding?: unknown } | null)[]).map((item,
      position) => [item?.index ?? position, item?.embedding]
    ),
  );
  const ordered = data.map((_, index) => embeddings.get(index));
  return embeddings.size === data.length && data.every((_, index) => embeddings.has(index)) ? ordered : undefined;
}

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
