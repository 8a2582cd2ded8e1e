/** The door of the documents area. */
export { createDocuments, type Documents } from './documents.ts';
export { countWithinBudget } from './context-budget.ts';
export { identify, type Identity } from './identity.ts';
export type { Meta } from './meta.ts';
export { checkFilter, matchesNothing, type Fragment } from './meta-filter.ts';
export { Pace } from './pace.ts';
export { projectDocument, projectionOf, type Projection } from './project-document.ts';
export type { DocumentReader } from './reader.ts';
export { repairItem } from './repair-item.ts';
export { requireText } from './require-valid.ts';
export type { BatchItem, BatchOptions, BatchResult, DocumentWriter } from './writer.ts';
