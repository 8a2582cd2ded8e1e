/** The entry point of the vectors area. */
import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Collections } from '../collections/index.ts';
import type { Documents } from '../documents/index.ts';
import type { Embeddings } from '../embeddings/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { SearchGate } from '../search-gate.ts';
import { classifyDocument } from './classify/classify-document.ts';
import { type CrossSearchDeps, searchAcrossCollections } from './cross-search/cross-search.ts';
import { findDuplicates } from './duplicates/find-duplicates.ts';
import { evaluateVectors } from './evaluate/evaluate-vectors.ts';
import { projectVectors } from './projection/project-vectors.ts';
import type { Vectors } from './vectors.ts';

export { toComparedVector } from './search/request.ts';
export { warningsOf } from './search/search-vectors.ts';
export { vectorsRetriever, type VectorsSide } from './search/vectors-retriever.ts';
export type { QueryVector, VectorSearch } from './vector-search.ts';
export { createVectors, type Vectors } from './vectors.ts';

type VectorOperations = Required<
  Pick<Handlers<Operations>,
    'projectVectors' | 'classifyDocument' | 'searchAcrossCollections' | 'findDuplicates' | 'evaluateVectors'>
>;

export interface VectorOperationsAreas {
  readonly documents: { readonly handlers: Pick<Documents['handlers'], 'getDocument'> };
  readonly collections: Pick<Collections, 'configOf'>;
  readonly embeddings: Pick<Embeddings, 'of'>;
  readonly vectors: Pick<Vectors, 'of' | 'handlers' | 'view'>;
  readonly gate: Pick<SearchGate, 'run'>;
  readonly columns: CrossSearchDeps['columns'];
}

/** Other uses of vectors: a map, labels, search over several collections, duplicates. */
export function createVectorOperations({ sql, codec, clock }: DocsEnvironment,
  { documents, collections, embeddings, vectors, gate, columns }: VectorOperationsAreas): VectorOperations
{
  const comparisons = new SearchGate({ places: 1 });
  const deps = { sql, codec, clock, documents, collections, embeddings, vectors, gate, columns, comparisons };
  return {
    projectVectors: (input, { signal }) => projectVectors(deps, input, signal),
    classifyDocument: classifyDocument(deps),
    searchAcrossCollections: (input, context) => searchAcrossCollections(deps, input, context),
    findDuplicates: (input, context) => findDuplicates(deps, input, context),
    evaluateVectors: (input, context) => evaluateVectors(deps, input, context),
  };
}
