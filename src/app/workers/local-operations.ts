import { type Operations, operations } from '../../../generated/docs/operations.ts';
import type { OperationSpec } from '../../operations/index.ts';

/** Areas whose reads need only the tables and the indexes. */
const AREAS: ReadonlySet<string> = new Set(['documents', 'schemas', 'collections', 'fulltext', 'curation', 'vectors',
  'hybrid', 'geo', 'codegraph', 'spell', 'memory']);

/** Reads of those areas that depend on the primary's state, such as its queue of documents to embed. */
const OF_PRIMARY: ReadonlySet<keyof Operations> = new Set<keyof Operations>(['getVectorStats']);

/** The operations that a worker serves itself; those of areas that are not listed go to the primary. */
export function localOperations({ tracksReads }: { readonly tracksReads: boolean }): OperationSpec[] {
  return Object.values<OperationSpec>(operations).filter(({ id, area, effect }) =>
    effect === 'read' && AREAS.has(area) && !OF_PRIMARY.has(id as keyof Operations) &&
    !(tracksReads && id === 'getDocument')
  );
}
