/** The entry point of the vectors area. */
import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Documents } from '../documents/index.ts';
import type { Embeddings } from '../embeddings/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { SearchGate } from '../search-gate.ts';
import { classifyDocument } from './classify/classify-document.ts';
import { type CrossSearchDeps, searchAcrossCollections } from './cross-search/cross-search.ts';
import { findDuplicates } from './duplicates/find-duplicates.ts';
import { projectVectors } from './projection/project-vectors.ts';
import type { VectorSearch } from './vector-search.ts';

export { warningsOf } from './search/search-vectors.ts';
export { vectorsRetriever, type VectorsSide } from './search/vectors-retriever.ts';
export type { QueryVector, VectorSearch } from './vector-search.ts';
export { createVectors, type Vectors } from './vectors.ts';

type VectorOperations = Required<
  Pick<Handlers<Operations>, 'projectVectors' | 'classifyDocument' | 'searchAcrossCollections' | 'findDuplicates'>
>;

export interface VectorOperationsAreas {
  readonly documents: { readonly handlers: Pick<Documents['handlers'], 'getDocument'> };
  readonly embeddings: Pick<Embeddings, 'describe' | 'embedQuery' | 'embedTexts' | 'chunksOf' | 'vectorsOfDocuments'>;
  readonly vectors: VectorSearch;
  readonly gate: Pick<SearchGate, 'run'>;
  readonly columns: CrossSearchDeps['columns'];
}

/** Other uses of vectors: a map, labels, search over several collections, duplicates. */
export function createVectorOperations({ sql, codec, clock }: DocsEnvironment,
  { documents, embeddings, vectors, gate, columns }: VectorOperationsAreas): VectorOperations
{
  const comparisons = new SearchGate({ places: 1 });
  const deps = { sql, codec, clock, documents, embeddings, search: vectors, gate, columns, comparisons };
  return {
    projectVectors: (input, { signal }) => projectVectors(deps, input, signal),
    classifyDocument: classifyDocument(deps),
    searchAcrossCollections: (input, context) => searchAcrossCollections(deps, input, context),
    findDuplicates: (input, context) => findDuplicates(deps, input, context),
  };
}
