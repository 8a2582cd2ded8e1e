import type { BodyCodec, EncodedBody } from '../../storage/index.ts';
import type { PendingDocument } from './embedding-capacity.ts';
import type { Identity } from './identity.ts';
import type { Meta } from './meta.ts';

/** What makes a version a duplicate of the stored one: the same body, expiry and metadata. */
export interface DuplicateRule {
  /** Keys of the metadata that may differ. */
  readonly ignoredMeta: readonly string[];
}

/** A document as a request wants it to be, checked and encoded before its transaction begins. */
export interface NewVersion {
  readonly identity: Identity;
  readonly meta: Meta;
  readonly body: EncodedBody;
  /** Seconds; 0 removes the expiry, undefined keeps the present one (decision D-32). */
  readonly ttl: number | undefined;
  readonly saveRevision: boolean;
  /** When a new document was first created, if that was before; Unix seconds. */
  readonly addedAt?: number;
  /** Leave the document alone when this would change nothing of it; undefined writes it all the same. */
  readonly skipDuplicate: DuplicateRule | undefined;
  /** Sum of `CHANGE_FLAGS` for its subscribers. */
  readonly flags: number;
}

/** Compression takes its time, and so does the way to where the collection keeps its bodies, so this comes before the transaction. */
export async function encodeBody(codec: BodyCodec, collection: string, text: string): Promise<EncodedBody> {
  const [body] = await codec.encodeFor(collection, [text]);
  return body!;
}

/** A version as the queue of documents to embed sees it. */
export function toPending({ identity: { id }, body: { crc, bytes } }: Pick<NewVersion, 'identity' | 'body'>): PendingDocument {
  return { id, crc, bytes };
}

/** When a document expires; null for never. */
export function expiryAfter(ttl: number | undefined, now: number, present: number | null): number | null {
  if (ttl === undefined) return present;
  return ttl === 0 ? null : now + ttl;
}
