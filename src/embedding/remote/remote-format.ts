import type { EmbeddingRole } from '../provider.ts';

/** Sends JSON to a path under the base URL, with retries; returns the JSON of the response. */
export type Send = (path: string, body: object) => Promise<unknown>;

/**
 * The request format of a provider: resolves to the list of embeddings in the order of the texts, not yet validated.
 */
export type RemoteFormat = (texts: readonly string[], role: EmbeddingRole, send: Send) => Promise<unknown>;
