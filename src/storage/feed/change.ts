/** The kinds of changes. The document service writes the kinds listed here; an area may add its own as `area.verb`. */
export type ChangeKind = 'doc.put' | 'doc.delete' | 'collection.delete' | 'config.put' | 'schema.put' | 'feed.restart'
  | `${string}.${string}`;

/** Bits of `Change.flags`. */
export const CHANGE_FLAGS = {
  /** The document did not exist before. */
  CREATED: 1,
  SKIP_EMBEDDINGS: 2,
  SKIP_FTS: 4,
  SKIP_WEBHOOKS: 8,
  /** Written by a restore, not by a client. */
  RESTORED: 16,
  /** The queue of documents to embed was full. */
  EMBEDDING_DROPPED: 32,
  /** The body is that of the previous version. */
  BODY_KEPT: 64,
} as const;

/** A change as its transaction appends it. */
export interface NewChange {
  readonly kind: ChangeKind;
  /** Lowercased name; empty when the change concerns no collection. */
  readonly collection: string;
  /** Ordinal of the document, for changes of documents. */
  readonly ord?: number;
  readonly docId?: string;
  readonly key?: string;
  readonly lang?: string;
  /** Sum of `CHANGE_FLAGS`; default 0. */
  readonly flags?: number;
  /** JSON, in the format of the area that defines the kind. */
  readonly detail?: string;
  /** Not stored: readers that are close to the head get it; all others read the tables. */
  readonly document?: WrittenDocument;
}

/** What a change made of a document, for readers of the feed in this process. It is shared: do not change it. */
export interface WrittenDocument {
  readonly meta: Readonly<Record<string, readonly string[]>>;
  readonly contentMd: string;
  /** Unix seconds. */
  readonly addedAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number | null;
  /** What a reader of the feed prepared of the document before it was written, for itself. */
  readonly prepared?: unknown;
}

/** A committed change. */
export interface Change extends NewChange {
  /** Log sequence number: 1 for the first change, then without a gap. */
  readonly lsn: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly flags: number;
}

/**
 * The changes after a position are missing: they were pruned, or a restore restarted the feed. The reader must rebuild
 * from the tables and continue from the head.
 */
export class FeedGap extends Error {
  readonly after: number;
  readonly oldest: number;
  readonly head: number;

  constructor(after: number, oldest: number, head: number) {
    super(`the change feed goes from ${oldest} to ${head} and cannot continue after ${after}`);
    this.name = 'FeedGap';
    this.after = after;
    this.oldest = oldest;
    this.head = head;
  }
}
