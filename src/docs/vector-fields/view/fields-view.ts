import { Pace } from '../../../lib/pace.ts';
import type { VectorIndexOptions } from '../../../search/vector/index.ts';
import { type Change, CHANGE_FLAGS, decodeVectors, inList, type Queries,
  type SuppliedVectors } from '../../../storage/index.ts';
import type { Collections, VectorFields } from '../../collections/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { COLLECTION_ID } from '../../stored-collections.ts';
import { isUsable } from '../../stored-vectors.ts';
import { andInPartition, ClosingView, type CollectionViewOptions, type Effect, type Entry, type OnClose, type Partition,
  type ViewKind } from '../../view/index.ts';
import { FieldIndexes, type ReadableFields } from './field-indexes.ts';
import { answerFromFields, type FieldsPart, FieldsStandIn } from './fields-stand-in.ts';
import { joinFieldIndexes } from './joined-fields.ts';

/** The magic of the checkpoint files of supplied vectors. */
export const CHECKPOINT_MAGIC = 'QFIELD01';

export interface FieldsViewOptions extends CollectionViewOptions {
  readonly index: VectorIndexOptions;
  /** Called for each document, so it must return from memory. */
  readonly collections: Pick<Collections, 'configOf'>;
}

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'log'>;

/** The vectors that clients supply, of all collections, which follow the change feed. */
export class FieldsView extends ClosingView<FieldIndexes, ReadableFields, FieldsPart> {
  constructor(env: Environment, options: FieldsViewOptions) {
    super(env, (onClose) => fieldsKind(env, options, onClose), options);
  }
}

function fieldsKind({ sql, log }: Environment, { index, collections }: FieldsViewOptions,
  onClose: OnClose): ViewKind<FieldIndexes, ReadableFields, FieldsPart>
{
  const toEntry = (collection: string, { ord, vectors }: StoredRow): Entry<FieldIndexes> => ({
    ord,
    addTo: (indexes) => put(indexes, ord, decoded(ord, vectors, log), collections.configOf(collection)?.vectors),
  });
  return {
    name: 'vector-field',
    create: () => FieldIndexes.create(index, onClose),
    restore: (_, bytes) => FieldIndexes.restore(bytes, index, onClose),
    reindexChange: 'vectors.declare',
    effectOf,
    // The table itself has the index; the view of encrypted values has not.
    collections: () =>
      sql.all<{ name: string; docs: number }>(`SELECT name, docs FROM collections c WHERE docs > 0 AND EXISTS
         (SELECT 1 FROM main.documents d WHERE d.cid = c.id AND d.vectors IS NOT NULL) ORDER BY docs`),
    entryOf({ ord, collection, document }) {
      if (document?.vectors === undefined || ord === undefined) return undefined;
      return toEntry(collection, { ord, vectors: document.vectors });
    },
    async *entriesOf(ords) {
      for await (const row of rowsOf(sql, ords)) yield toEntry(row.collection, row);
    },
    async *allEntries(partition) {
      // Not from memory, which may not contain yet what this build is for.
      const declared = await readDeclared(sql, partition.collection);
      if (declared === undefined) return;
      for await (const { ord, vectors } of allRows(sql.background, partition))
        yield { ord, addTo: (indexes) => put(indexes, ord, usable(decoded(ord, vectors, log), declared), declared) };
    },
    join: joinFieldIndexes,
    standIn: (link) => new FieldsStandIn(link),
    answer: answerFromFields,
  };
}

/** Only changes of vectors concern the indexes: a collection without them costs nothing. */
function effectOf({ kind, flags }: Change): Effect | undefined {
  if (kind === 'doc.put') return (flags & CHANGE_FLAGS.VECTORS) === 0 ? undefined : 'read';
  return kind === 'doc.delete' ? 'remove' : undefined;
}

type Fields = ReadonlyMap<string, SuppliedVectors>;

/** None for damaged vectors, which must not take the index out of service. */
function decoded(ord: number, stored: Uint8Array, log: Environment['log']): Fields {
  try {
    return decodeVectors(stored);
  } catch (error) {
    log.warn({ err: error, ord }, 'the supplied vectors of a document are damaged; write the document again');
    return new Map();
  }
}

/** Those of declared fields, if they were written with the same kind and dimensions. */
function usable(fields: Fields, declared: VectorFields): Fields {
  return new Map([...fields].filter(([name, vectors]) => isUsable(vectors, declared[name])));
}

function put(indexes: FieldIndexes, ord: number, fields: Fields, declared: VectorFields = {}): void {
  indexes.put(ord, fields, (name) => declared[name]?.quantization ?? 'float32');
}

async function readDeclared(queries: Queries, collection: string): Promise<VectorFields | undefined> {
  const row = await queries.get<{ config: string }>('SELECT config FROM collection_configs WHERE collection = ?', [
    collection,
  ]);
  return row && (JSON.parse(row.config) as { readonly vectors?: VectorFields }).vectors;
}

interface StoredRow {
  readonly ord: number;
  readonly vectors: Uint8Array;
}

/** Maximum number of documents whose vectors one statement reads. */
const STEP = 64;

/** The vectors of some documents; those that have none are left out. */
async function* rowsOf(queries: Queries,
  ords: readonly number[]): AsyncGenerator<StoredRow & { readonly collection: string }>
{
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await queries.all<{ ord: number; collection: string; vectors: Uint8Array | null }>(
      `SELECT d.ord, c.name AS collection, d.vectors FROM documents d JOIN collections c ON c.id = d.cid
       WHERE d.ord IN (${marks})`,
      params,
    );
    for (const { ord, collection, vectors } of rows) if (vectors !== null) yield { ord, collection, vectors };
  }
}

/** All vectors of a partition, in pages, so that no transaction stays open. */
async function* allRows(queries: Queries, partition: Partition): AsyncGenerator<StoredRow> {
  const pace = new Pace();
  for (let last = 0;;) {
    const page = await queries.all<{ ord: number }>(
      `SELECT ord FROM main.documents WHERE cid = ${COLLECTION_ID} AND vectors IS NOT NULL AND ord > ?
       ${andInPartition(partition)} ORDER BY ord LIMIT ?`,
      [partition.collection, last, STEP],
    );
    if (page.length === 0) return;
    last = page.at(-1)!.ord;
    yield* rowsOf(queries, page.map(({ ord }) => ord));
    await pace.rest();
  }
}
