export type { ScoringAlgorithm } from './algorithm.ts';
export type { Analyzer, Spellings } from './analyzers.ts';
export { CheckpointError } from './checkpoint.ts';
export { type CompoundRules, lettersInCompounds } from './compounds.ts';
export { type Addition, BOUND, type Hit, IndexFullError, type IndexOptions, MAX_RESULTS,
  type SearchOptions } from './contract.ts';
export type { FuzzyForm } from './dictionary.ts';
export { type FieldText, type FormAt } from './document-text.ts';
export { type Field, MAX_NAMED_FIELDS, SHARED_FIELD } from './fields.ts';
export type { IndexPart } from './index-part.ts';
export { InvertedIndex } from './inverted-index.ts';
export { answerForPart } from './part-answers.ts';
export { PartitionedIndex, type SearchableIndex } from './partitioned-index.ts';
export { ALL, NONE, type PhraseQuery, type Query, type WeightedForm, within } from './query.ts';
export { RemotePart } from './remote-part.ts';
export { FEATURES, type FeatureWeights, POWER, RERANKED, type Reranking, type RerankWeights, type RerankWord,
  weightsFor } from './rerank.ts';
export { MAX_SEGMENT_DOCUMENTS, type Segment, SegmentBuilder } from './segment.ts';
