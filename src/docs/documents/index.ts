/** The door of the documents area. */
export { createDocuments, type Documents } from './documents.ts';
export { countWithinBudget } from './context-budget.ts';
export { ENDLESS_ROOM, transactWithRoom, type EmbeddingRoom, type Patience, type Reservation, type RoomSeeker } from './embedding-room.ts';
export { collectionOfId, identify, type Identity } from './identity.ts';
export type { Meta } from './meta.ts';
export { checkFilter, matchesNothing, type Fragment } from './meta-filter.ts';
export { Pace } from './pace.ts';
export { projectDocument, projectionOf, type Projection } from './project-document.ts';
export type { DocumentReader } from './reader.ts';
export { repairItem } from './repair-item.ts';
export { requireText } from './require-valid.ts';
export { inList } from './in-list.ts';
export { removeVectorRows } from './remove-documents.ts';
export { runInSteps, type UnitOfWork } from './unit-of-work.ts';
export type { Sweep } from './sweep.ts';
export { encodeBody, seekerOf, type NewVersion } from './version.ts';
export { putVersions } from './put-versions.ts';
export type { BatchItem, BatchOptions, BatchResult, DocumentWriter } from './writer.ts';
