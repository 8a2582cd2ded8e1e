import type { EmbeddingRole } from '../provider.ts';
import type { RemoteFormat } from './remote-format.ts';

/** OpenAI's format, which many servers speak. `dimensions` is asked for where the model can give vectors of any size. */
export function openAiFormat(model: string, dimensions: number | undefined): RemoteFormat {
  const asked = dimensions !== undefined && canShorten(model) ? { dimensions } : {};
  return async (input, _role, send) => inOrder(await send('/embeddings', { model, input, encoding_format: 'float', ...asked }));
}

/** True for OpenAI's third generation of models, the only ones that take `dimensions`. */
export function canShorten(model: string): boolean {
  return model.startsWith('text-embedding-3');
}

/** Voyage's format: OpenAI's, but that it wants to know the role. */
export function voyageFormat(model: string): RemoteFormat {
  return async (input, role: EmbeddingRole, send) => inOrder(await send('/embeddings', { model, input, input_type: role }));
}

/** `{data: [{index, embedding}]}` by index; undefined when an index is missing or comes twice. */
function inOrder(answer: unknown): unknown {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return undefined;
  const embeddings = new Map((data as ({ index?: unknown; embedding?: unknown } | null)[]).map((item, position) => [item?.index ?? position, item?.embedding]));
  const ordered = data.map((_, index) => embeddings.get(index));
  return embeddings.size === data.length && data.every((_, index) => embeddings.has(index)) ? ordered : undefined;
}
