import type { BodyCodec, EncodedBody } from '../../storage/index.ts';
import type { Meta } from './document-rows.ts';
import type { PendingDocument } from './embedding-capacity.ts';
import type { Identity } from './identity.ts';

/** Which parts of a version and the stored one must be equal for a duplicate: body, expiry and metadata. */
export interface DuplicateRule {
  /** Keys of the metadata that may differ. */
  readonly ignoredMeta: readonly string[];
}

/** The state of a document that a request wants, checked and encoded before its transaction begins. */
export interface NewVersion {
  readonly identity: Identity;
  readonly meta: Meta;
  readonly body: EncodedBody;
  /** See `WrittenDocument.prepared`. */
  readonly prepared?: unknown;
  /** Seconds; 0 removes the expiry, undefined keeps the current one. */
  readonly ttl: number | undefined;
  readonly saveRevision: boolean;
  /** When a new document was first created, if that was before this write; Unix seconds. */
  readonly addedAt?: number;
  /** Skips the write if it would change nothing of the document; undefined writes it in any case. */
  readonly skipDuplicate: DuplicateRule | undefined;
  /** Sum of `CHANGE_FLAGS` for the subscribers of the feed. */
  readonly flags: number;
}

/**
 * Compression takes time, and so does access to the place where the collection stores its bodies; so call this before
 * the transaction.
 */
export async function encodeBody(codec: BodyCodec, collection: string, text: string): Promise<EncodedBody> {
  const [body] = await codec.encodeFor(collection, [text]);
  return body!;
}

/** A version as the queue of documents to embed needs it. */
export function toPending(
  { identity: { id }, body: { crc, bytes } }: Pick<NewVersion, 'identity' | 'body'>,
): PendingDocument {
  return { id, crc, bytes };
}

/** When a document expires; null for never. */
export function expiryAfter(ttl: number | undefined, now: number, present: number | null): number | null {
  if (ttl === undefined) return present;
  return ttl === 0 ? null : now + ttl;
}
