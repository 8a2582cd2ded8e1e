/** The door of the documents area. */
export { createDocuments, type Documents } from './documents.ts';
export { ContentReader, contentsFor, WITHOUT_CONTENT, type ContentOptions, type ResultRow } from './content-reader.ts';
export { contextCost, countWithinBudget } from './context-budget.ts';
export { ENDLESS_ROOM, transactWithRoom, type EmbeddingRoom, type Patience, type Reservation, type RoomSeeker } from './embedding-room.ts';
export { collectionOfId, identify, type Identity } from './identity.ts';
export type { Meta } from './meta.ts';
export {
  checkFilter, expressionOf, inSet, isTime, passingDocuments, readFilter, toConditions, valuesQuery, type FilterInput, type RangeCondition, type RangeMeta, type RequestFilter,
} from './filter/index.ts';
export { readPlaces } from './order/index.ts';
export { matchesNothing, type Fragment } from './meta-filter.ts';
export { Pace } from '../../lib/pace.ts';
export { projectDocument, projectionOf, type Projection } from './project-document.ts';
export type { DocumentReader } from './reader.ts';
export { repairItem } from './repair-item.ts';
export { requireText } from './require-valid.ts';
export { inList } from './in-list.ts';
export { removeUnder, removeVectorRows } from './remove-documents.ts';
export { sealingOf } from './deps.ts';
export { indexMeta } from './meta-index.ts';
export { parseMeta } from './meta.ts';
export { runInSteps, type UnitOfWork } from './unit-of-work.ts';
export type { Sweep } from './sweep.ts';
export { encodeBody, seekerOf, type NewVersion } from './version.ts';
export { putVersions } from './put-versions.ts';
export type { BatchItem, BatchOptions, BatchResult, DocumentWriter } from './writer.ts';
export type { Watch, WatchedEvent, WatchInput } from './watch/index.ts';
