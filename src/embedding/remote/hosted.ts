import type { EmbeddingRole } from '../provider.ts';
import type { RemoteFormat } from './remote-format.ts';

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
