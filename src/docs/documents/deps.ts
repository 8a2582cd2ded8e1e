import type { Operations } from '../../../generated/docs/operations.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import type { Handlers, Standing } from '../../operations/index.ts';
import { type KeyRing, type Sealer, sealerOf, type Transaction } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import type { ColumnsView } from '../columns/index.ts';
import { type DocsEnvironment, transactFor } from '../environment.ts';
import type { Schemas } from '../schemas/index.ts';
import type { Checksums } from './checksums.ts';
import type { Meta } from './document-rows.ts';
import type { EmbeddingCapacity } from './embedding-capacity.ts';
import type { SharedWrites } from './shared-writes.ts';
import type { UnitOfWork } from './unit-of-work.ts';

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

export type DocumentHandlers = Required<
  Pick<Handlers<Operations>,
    'addDocument' | 'addDocuments' | 'getDocument' | 'searchDocuments' | 'updateDocument' | 'getDocumentMeta'
      | 'setDocumentTtl' | 'deleteDocument' | 'deleteDocuments' | 'deleteCollection' | 'listMetaKeys' | 'getChecksum'
      | 'listRevisions' | 'restoreRevision' | 'truncateRevisions'>
>;

/** What the handlers of documents work with. */
export interface Deps extends Pick<DocsEnvironment, 'sql' | 'feed' | 'codec' | 'clock' | 'log'> {
  readonly checksums: Checksums;
  readonly ttlSweepMs: number;
  /** How long versions of deleted documents are kept, in seconds; 0 keeps none. */
  readonly deletedRetention: number;
  /** Symbols kept for each key of a code document. */
  readonly codeMaxSymbols: number;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly columns: Pick<ColumnsView, 'indexOf'>;
  readonly schemas: Pick<Schemas, 'violations' | 'has'>;
  readonly embeddingCapacity: EmbeddingCapacity;
  readonly preparation?: Preparation | undefined;
  /** As in a `UnitOfWork`. */
  readonly sealerOf?: UnitOfWork['sealerOf'];
  readonly deltaRevisions?: boolean | undefined;
  /** Where requests share transactions. */
  readonly sharedWrites: SharedWrites;
}

export type TransactDeps = Pick<Deps, 'sql' | 'feed' | 'clock'> & Partial<
  Pick<Deps, 'sealerOf' | 'deltaRevisions' | 'deletedRetention'>
>;

/**
 * Runs a transaction; its time is the time at which it begins. `by`: whose permission is needed then, unless the work
 * is the service's own. `collections`: see `TransactionOptions`.
 */
export function transact<T>({ sql, feed, clock, sealerOf, deltaRevisions, deletedRetention }: TransactDeps,
  steps: (work: UnitOfWork) => Promise<T>, by?: Standing, collections?: () => readonly string[]): Promise<T>
{
  return transactFor(sql, by,
    (tx: Transaction) =>
      steps({ tx, feed, now: unixSeconds(clock), pace: new Pace(), sealerOf, deltaRevisions, deletedRetention }), {
    collections,
  });
}

/** Encrypts the values of encrypted collections; undefined on a server without a key. */
export function createSealers(keys: KeyRing | undefined,
  collections: Pick<Collections, 'configOf'>): UnitOfWork['sealerOf']
{
  if (keys === undefined) return undefined;
  const sealer: Sealer = sealerOf(keys);
  return (collection) => (collections.configOf(collection)?.encrypted === true ? sealer : undefined);
}

/** Number of newest revisions kept of each document; 0 keeps all. */
export function maxRevisionsOf({ collections }: Pick<Deps, 'collections'>, collection: string): number {
  return collections.configOf(collection)?.maxRevisions ?? 0;
}
