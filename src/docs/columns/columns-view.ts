import { ServiceError } from '../../errors/index.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import { answerColumns, type ColumnDocument, type Columns, ColumnsFullError, type ColumnsPart, ColumnStore, joinColumns,
  type Needs, type ReadableColumns, RemoteColumns, whenPrepared } from '../../search/columns/index.ts';
import { composedMeta, type Filter } from '../../search/filter/index.ts';
import type { PartLink } from '../../search/parts/index.ts';
import type { Change, WrittenDocument } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { filledCollections } from '../stored-collections.ts';
import { CollectionView, type CollectionViewOptions, type Effect, type Entry, holdsOf, type ViewIndex, type ViewKind,
  viewOptions } from '../view/index.ts';
import { allDocuments, documentsOf } from './read-documents.ts';

/** The columns of one collection, as searches read them. */
export interface ReadableColumnIndex {
  readonly columns: ReadableColumns;
  readonly documents: number;
  /** Approximate memory. */
  readonly bytes: number;
  /** Different after each change. */
  readonly version: number;
}

/** The columns of a partition, here or elsewhere, as `joinColumnIndexes` needs them. */
export interface ColumnIndexPart extends Pick<ReadableColumnIndex, 'version'> {
  readonly columns: ColumnsPart;
}

/** The columns of one collection, or of one of its partitions, as the view stores them. */
export class ColumnIndex implements ViewIndex, ReadableColumnIndex, ColumnIndexPart {
  readonly columns: Columns;
  #version = 0;

  constructor(columns: Columns) {
    this.columns = columns;
  }

  get documents(): number {
    return this.columns.count(undefined);
  }

  get bytes(): number {
    return this.columns.stats().bytes.total;
  }

  get version(): number {
    return this.#version;
  }

  /** Throws `unavailable` if another document does not fit. */
  put(document: ColumnDocument): void {
    this.#version += 1;
    try {
      this.columns.put(document);
    } catch (error) {
      if (!(error instanceof ColumnsFullError)) throw error;
      throw new ServiceError('unavailable',
        `${error.message}; raise partitions in its configuration, or delete documents and start the server again`, {
        cause: error,
      });
    }
  }

  remove(ord: number): void {
    this.#version += 1;
    this.columns.remove(ord);
  }

  tidy(): boolean {
    return this.columns.tidy();
  }

  settle(): boolean {
    return this.columns.settle();
  }

  save(): AsyncIterable<Uint8Array> {
    return this.columns.save();
  }
}

/** The indexes of all partitions of a collection, read as one (`ViewKind.join`). */
export function joinColumnIndexes(parts: readonly ColumnIndexPart[]): ReadableColumnIndex {
  const columns = joinColumns(parts.map((part) => part.columns));
  return {
    columns,
    get documents() {
      return columns.count(undefined);
    },
    get bytes() {
      return columns.stats().bytes.total;
    },
    get version() {
      return parts.reduce((sum, part) => sum + part.version, 0);
    },
  };
}

/** Takes the place of the columns of a partition on another node (`ViewKind.standIn`). */
export function standInColumns(link: PartLink): ColumnIndexPart {
  // A request has one answer to each question, so the columns do not change while it reads them.
  return { columns: new RemoteColumns(link, holdsOf(link.part)), version: 0 };
}

/** The columns of all collections, which follow the change feed. */
export type ColumnsView = CollectionView<ColumnIndex, ReadableColumnIndex, ColumnIndexPart>;

/** First bytes of the checkpoint files of columns. */
const CHECKPOINT_MAGIC = 'QCOLUM01';

/** Creates the columns of a collection. */
export interface ColumnsFactory {
  create(): Columns;
  /** Rejects for bytes that are damaged or of another version. */
  restore(bytes: AsyncIterable<Uint8Array>): Promise<Columns>;
}

/** Columns in WebAssembly (src/search/columns/README.md). */
export const columnsFactory: ColumnsFactory = {
  create: () => ColumnStore.create(),
  restore: (bytes) => ColumnStore.load(bytes),
};

interface ColumnsViewOptions extends CollectionViewOptions {
  readonly factory: ColumnsFactory;
}

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'log'>;

/** A view of the metadata, times and names of documents (design, sections 1 and 4). */
export function createColumnsView(env: Environment, options: ColumnsViewOptions): ColumnsView {
  return new CollectionView(env, columnsKind(env, options), options);
}

function columnsKind({ sql, log }: Environment,
  { factory }: ColumnsViewOptions): ViewKind<ColumnIndex, ReadableColumnIndex, ColumnIndexPart>
{
  return {
    name: 'columns',
    create: () => new ColumnIndex(factory.create()),
    restore: async (_, bytes) => new ColumnIndex(await factory.restore(bytes)),
    effectOf,
    collections: () => filledCollections(sql, 'docs'),
    entryOf: (
      { ord, key, lang, document },
    ) => (document === undefined || ord === undefined
      ? undefined
      : toEntry({ ...timesOf(document), ord, key: key!, lang: lang!, meta: document.meta })),
    entriesOf: (ords) => map(documentsOf({ queries: sql, log }, ords), toEntry),
    allEntries: (partition) => map(allDocuments({ queries: sql.background, log }, partition), toEntry),
    join: joinColumnIndexes,
    standIn: standInColumns,
    answer: ({ columns }, method, args) => answerColumns(columns, method, args),
  };
}

function timesOf(
  { addedAt, updatedAt, expiresAt }: WrittenDocument,
): Pick<ColumnDocument, 'addedAt' | 'updatedAt' | 'expiresAt'> {
  return { addedAt, updatedAt, expiresAt: expiresAt ?? undefined };
}

function toEntry({ meta, ...document }: ColumnDocument): Entry<ColumnIndex> {
  return { ord: document.ord, addTo: (index) => index.put({ ...document, meta: composedMeta(meta) }) };
}

/** Metadata that could not be decrypted may be readable after they were encrypted again. */
function effectOf({ kind }: Change): Effect | undefined {
  if (kind === 'doc.put' || kind === 'encryption.reseal') return 'read';
  return kind === 'doc.delete' ? 'remove' : undefined;
}

async function* map<T, U>(items: AsyncIterable<T>, toOther: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield toOther(item);
}

interface ColumnsAreas {
  /** Called when a checkpoint is written, so it must return from memory. */
  readonly collections: Pick<Collections, 'configOf'>;
  /** For tests with other columns. */
  readonly factory?: ColumnsFactory;
}

/** The view of documents' metadata, times and names, which evaluates filters, facets, counts and orders. */
export function createColumns(
  environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'log' | 'keys' | 'settings' | 'checkpoints'>,
  { collections, factory = columnsFactory }: ColumnsAreas,
): ColumnsView {
  return createColumnsView(environment, {
    factory,
    ...viewOptions(environment, collections, 'columns', CHECKPOINT_MAGIC),
  });
}

/** The columns of a collection. */
interface ReadyColumns {
  readonly columns: ReadableColumns;
  /** Whether no document has changed since the columns were returned. */
  isCurrent(): boolean;
}

/** Documents of a collection, and the columns with their values. */
export interface SelectedDocuments extends ReadyColumns {
  /** Undefined for all. */
  readonly documents: OrdSet | undefined;
}

interface DocumentSelecting {
  /** The filter of the request; absent for all. */
  readonly filter?: Filter | undefined;
  /** Unix seconds: documents that have expired by then do not pass. */
  readonly now: number;
  /** Ordinals that do not pass. */
  readonly hidden?: readonly number[] | undefined;
  /** What the caller will read from the columns; it is prepared in steps. */
  readonly needs?: Omit<Needs, 'filter'> | undefined;
}

/**
 * The documents of a collection that pass; undefined when it has none. The columns may change at every `await`, also
 * while this function runs: `isCurrent` tells whether they did. Throws `IndexLoading`.
 */
export async function selectDocuments(view: Pick<ColumnsView, 'indexOf'>, collection: string,
  { filter, now, hidden = [], needs }: DocumentSelecting): Promise<SelectedDocuments | undefined>
{
  const selecting = { filter, now, ...(hidden.length > 0 && { hidden }) };
  return whenPrepared(() => view.indexOf(collection), { filter, now, ...needs }, (index) => ({
    ...readyOf(index),
    documents: index.columns.select(selecting),
  }));
}

/** The columns of a collection, prepared for `needs`; undefined when it has no documents. Throws `IndexLoading`. */
export async function readyColumns(view: Pick<ColumnsView, 'indexOf'>, collection: string,
  needs: Needs): Promise<ReadyColumns | undefined>
{
  // Looked up each time, because another index may have replaced it meanwhile.
  return whenPrepared(() => view.indexOf(collection), needs, readyOf);
}

function readyOf(index: ReadableColumnIndex): ReadyColumns {
  const { columns, version } = index;
  return { columns, isCurrent: () => index.version === version };
}
