import type { Meta } from './meta.ts';

/** A document of a batch that will be written. */
export interface UpcomingDocument {
  readonly key: string;
  readonly lang: string;
  readonly meta: Meta;
  readonly contentMd: string;
}

/** Work for a reader of the change feed that is done before the documents of a batch are written, in another thread. */
export interface Preparation {
  /**
   * The value of `WrittenDocument.prepared` for each document, or undefined for those that are not prepared. Never
   * rejects.
   */
  prepare(collection: string, documents: readonly UpcomingDocument[]): Promise<readonly unknown[]>;
}
