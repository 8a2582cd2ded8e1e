import type { Timer } from '../../lib/clock.ts';
import type { Collections } from '../collections/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { FollowingView, NearestResult, Passage, PassageQuery, StoredVectors } from '../search/index.ts';
import { type ServedView, viewOptions } from '../view/index.ts';
import { readFieldPassages } from './search/passages.ts';
import { type FieldQuery, type FieldsQuery, searchFields } from './search/search-fields.ts';
import { CHECKPOINT_MAGIC, FieldsView } from './view/fields-view.ts';
import type { VectorWorkers } from './workers.ts';

/**
 * What a search by fields finds with, as the vector side of the stages of a search. As stored vectors, those of the
 * first field, which is dense.
 */
export interface FieldsSide extends StoredVectors {
  readonly view: FollowingView;
  readonly followsDocuments: true;
  searchByVector(query: Omit<FieldsQuery, 'fields'>, signal?: AbortSignal): Promise<NearestResult>;
  passagesOf(queries: readonly PassageQuery[]): Promise<(Passage | undefined)[]>;
  chunkCounts(collection: string, ords: readonly number[]): readonly number[];
}

/** Vectors and bytes of a field of a collection. */
export interface FieldStats {
  readonly documents: number;
  readonly vectors: number;
  readonly bytes: number;
}

/** The vectors that clients supply, for searches. */
export interface VectorFieldSearch {
  sideOf(fields: readonly FieldQuery[]): FieldsSide;
  /** Number of documents of a collection that have vectors in any field. Throws `index_loading`. */
  documentsOf(collection: string): number;
  /** By declared field of supplied vectors; undefined while the index loads. */
  statsOf(collection: string): Readonly<Record<string, FieldStats>> | undefined;
}

/** The area: its search, and the view of its indexes. */
export interface VectorFieldsArea extends VectorFieldSearch {
  readonly view: ServedView;
  readonly views: readonly Pick<FieldsView, 'start' | 'restart'>[];
  /** Writes checkpoints; harmless before the start and when repeated. */
  stop(): Promise<void>;
}

export interface VectorFieldsAreas {
  readonly collections: Pick<Collections, 'configOf'>;
  readonly vectorWorkers: Pick<VectorWorkers, 'settings' | 'options'>;
  readonly timer?: Timer;
}

export function createVectorFields(environment: DocsEnvironment,
  { collections, vectorWorkers, timer }: VectorFieldsAreas): VectorFieldsArea
{
  const { sql, clock } = environment;
  const view = new FieldsView(environment, {
    collections,
    index: vectorWorkers.options,
    ...viewOptions(environment, collections, 'vector-fields', CHECKPOINT_MAGIC),
    ...(timer && { timer }),
  });
  const { defaultAlgorithm } = vectorWorkers.settings;
  const deps = { sql, clock, view, defaultAlgorithm: defaultAlgorithm === 'auto' ? 'flat' as const : defaultAlgorithm };
  return {
    sideOf(fields) {
      const [{ name, field }] = fields as [FieldQuery];
      const dense = (collection: string) => view.indexOf(collection)?.of(name, 'dense');
      return {
        view,
        followsDocuments: true,
        searchByVector: (query, signal) => searchFields(deps, { ...query, fields }, signal),
        passagesOf: (queries) => readFieldPassages(sql, name, queries),
        // The passage of a sparse vector is the whole body.
        chunkCounts: (collection, ords) =>
          field.kind === 'sparse' ? ords.map(() => 1) : dense(collection)?.chunkCounts(ords) ?? ords.map(() => 0),
        documentModels: (collection, ords) =>
          (dense(collection)?.chunkCounts(ords) ?? ords.map(() => 0)).map((count) =>
            count === 0 ? undefined : { model: name, variant: '', dimensions: field.dimensions }
          ),
        passageVectors: (collection, passages) =>
          dense(collection)?.passageVectors(passages) ?? passages.map(() => undefined),
      };
    },
    documentsOf: (collection) => view.indexOf(collection)?.documents ?? 0,
    statsOf(collection) {
      const declared = Object.entries(collections.configOf(collection)?.vectors ?? {}).filter(([, { source }]) =>
        source === 'supplied'
      );
      if (!view.isReady) return undefined;
      const indexes = view.indexOf(collection);
      return Object.fromEntries(declared.map(([name, { kind }]) => {
        if (kind === 'sparse') {
          const { documents = 0, bytes = 0 } = indexes?.sparse(name)?.stats() ?? {};
          return [name, { documents, vectors: documents, bytes }];
        }
        const { documents = 0, chunks = 0, bytes = 0 } = indexes?.of(name, kind)?.stats() ?? {};
        return [name, { documents, vectors: chunks, bytes }];
      }));
    },
    view,
    views: [view],
    async stop() {
      await view.stop();
      await view.closed();
    },
  };
}
