/** The entry point of the area of vectors that clients supply. */
export { fieldQueriesOf, type FieldsInput, toQueryVector } from './search/field-queries.ts';
export { type GivenQueryVector, numbersOfQuery, toBoundedVector, toSearchVector } from './search/query-vector.ts';
export type { EmbeddedVectors, FieldQuery, FieldsQuery } from './search/search-fields.ts';
export { createVectorFields, type FieldsSide, type FieldStats, type VectorFieldsArea,
  type VectorFieldSearch } from './vector-fields.ts';
export { createVectorWorkers, type VectorSettings, type VectorWorkers } from './workers.ts';
