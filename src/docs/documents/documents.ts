import type { Timer } from '../../lib/clock.ts';
import type { Loop } from '../../lib/loop.ts';
import type { Collections } from '../collections/index.ts';
import type { ColumnsView } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Schemas } from '../schemas/index.ts';
import { addDocument, addDocuments } from './add-document.ts';
import { Checksums, getChecksum } from './checksums.ts';
import { deleteCollection, deleteDocument, deleteDocuments } from './delete-documents.ts';
import { createSealers, type Deps, type DocumentHandlers, type Preparation } from './deps.ts';
import { type EmbeddingCapacity, UNLIMITED_CAPACITY } from './embedding-capacity.ts';
import { getDocument, getDocumentMeta, lookUp } from './get-document.ts';
import { createReader, type DocumentReader } from './reader.ts';
import { listRevisions, restoreRevision, truncateRevisions } from './revisions.ts';
import { listMetaKeys, searchDocuments } from './search-documents.ts';
import { SharedWrites } from './shared-writes.ts';
import { createSweeper, type Sweep } from './sweep.ts';
import { setDocumentTtl, updateDocument } from './update-document.ts';
import { WatchHub } from './watch/watch-hub.ts';
import { createWatch, type Watch, type WatchDependencies } from './watch/watch.ts';
import { createWriter, type DocumentWriter } from './writer.ts';

/** The documents of the service: writing, reading, finding by metadata, revisions, expiry. */
export interface Documents {
  readonly handlers: DocumentHandlers;
  readonly writer: DocumentWriter;
  readonly reader: DocumentReader;
  /** Reports changes to documents as they happen. */
  readonly watch: Watch;
  /** The document of an event in its current state; undefined when it was removed. */
  readonly readDocument: WatchDependencies['readDocument'];
  /**
   * Drops what is kept in memory and reads the key of the checksums; before the first use, and again when the database
   * was replaced.
   */
  load(): Promise<void>;
  /**
   * Starts to remove expired documents every `ttlSweepMs`, and calls `more` after them; repeated calls are harmless.
   * Not for followers and read-only servers.
   */
  startSweep(timer?: Timer, more?: readonly Sweep[]): void;
  work(): void;
  /** Ends all watchers and waits for a running sweep; harmless before `startSweep` and when repeated. */
  stop(): Promise<void>;
}

/**
 * What documents need from other areas. `configOf` and `violations` are called at each write, so both must return from
 * memory.
 */
interface DocumentsAreas {
  readonly collections: Pick<Collections, 'configOf'>;
  /** The columns that evaluate filters, orders and counts. */
  readonly columns: Pick<ColumnsView, 'indexOf'>;
  readonly schemas: Pick<Schemas, 'violations' | 'has'>;
  /** Back-pressure of the queue of documents to embed; without limit when absent. */
  readonly embeddingCapacity?: EmbeddingCapacity;
  /**
   * Prepares the documents of batches for the full-text view; without it, the view does all of its work after the
   * write.
   */
  readonly preparation?: Preparation;
  /** Sweeps of other areas, which follow those of documents. */
  readonly sweeps?: () => readonly Sweep[];
}

/** 30 days. */
const DELETED_RETENTION = 2_592_000;

export function createDocuments(environment: DocsEnvironment,
  { collections, columns, schemas, embeddingCapacity = UNLIMITED_CAPACITY, preparation, sweeps }:
    DocumentsAreas): Documents
{
  const { sql, feed, codec, clock, log, settings } = environment;
  const checksums = new Checksums();
  const stored = {
    sql,
    feed,
    codec,
    clock,
    log,
    checksums,
    ttlSweepMs: settings.ttlSweepMs,
    codeMaxSymbols: settings.codeMaxSymbols,
    collections,
    columns,
    schemas,
    embeddingCapacity,
    preparation,
    sealerOf: createSealers(environment.keys, collections),
    deltaRevisions: settings.deltaRevisions,
    deletedRetention: settings.deletedRetention ?? DELETED_RETENTION,
  };
  const deps: Deps = { ...stored, sharedWrites: new SharedWrites(stored) };
  const writer = createWriter(deps);
  const reader = createReader(deps);
  let sweeper: Loop | undefined;
  const startSweep: Documents['startSweep'] = (timer, more) => {
    sweeper ??= createSweeper(deps, timer, more);
    sweeper.start(timer);
  };
  const hub = new WatchHub(deps);
  const readDocument: WatchDependencies['readDocument'] = (name) => lookUp(deps, name);
  return {
    handlers: createHandlers(deps, writer, reader),
    writer,
    reader,
    watch: createWatch({ feed, hub, readDocument }),
    readDocument,
    load: () => checksums.load(sql),
    startSweep,
    work: () => startSweep(undefined, sweeps?.()),
    stop: async () => {
      await hub.stop();
      await sweeper?.stop();
    },
  };
}

function createHandlers(deps: Deps, writer: DocumentWriter, reader: DocumentReader): DocumentHandlers {
  return {
    addDocument: addDocument(deps),
    addDocuments: addDocuments(writer),
    getDocument: getDocument(deps),
    searchDocuments: searchDocuments(deps),
    updateDocument: updateDocument(deps),
    getDocumentMeta: getDocumentMeta(deps),
    setDocumentTtl: setDocumentTtl(deps),
    deleteDocument: deleteDocument(deps),
    deleteDocuments: deleteDocuments(deps),
    deleteCollection: deleteCollection(deps),
    listMetaKeys: listMetaKeys(deps),
    getChecksum: getChecksum(reader),
    listRevisions: listRevisions(deps),
    restoreRevision: restoreRevision(deps),
    truncateRevisions: truncateRevisions(deps),
  };
}
