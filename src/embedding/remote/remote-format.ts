import type { EmbeddingRole } from '../provider.ts';

/** Sends JSON to a path under the base URL, with retries; the answer's JSON. */
export type Send = (path: string, body: object) => Promise<unknown>;

/**
 * How a provider wants to be asked: resolves to what should be the list of embeddings, in the order
 * of the texts; not checked yet.
 */
export type RemoteFormat = (texts: readonly string[], role: EmbeddingRole, send: Send) => Promise<unknown>;
