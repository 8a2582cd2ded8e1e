/** The door of the documents area. */
export { inList } from '../../storage/index.ts';
export { toItems } from './add-documents.ts';
export { keepChecksumKey } from './checksums.ts';
export { createSealers } from './deps.ts';
export { createDocuments, type Documents } from './documents.ts';
export { type EmbeddingCapacity, type PendingDocument, type Reservation, transactWithCapacity, UNLIMITED_CAPACITY,
  type WaitBudget } from './embedding-capacity.ts';
export { collectionOfId, identify, type Identity } from './identity.ts';
export { type Meta, parseMeta } from './meta.ts';
export type { Preparation, UpcomingDocument } from './preparation.ts';
export { putVersions } from './put-versions.ts';
export type { DocumentReader } from './reader.ts';
export { removeUnder, removeVectorRows } from './remove-documents.ts';
export { repairItem } from './repair-item.ts';
export { requireText } from './require-valid.ts';
export type { Sweep } from './sweep.ts';
export { runInSteps, type UnitOfWork } from './unit-of-work.ts';
export { encodeBody, type NewVersion, toPending } from './version.ts';
export { canonicalName, DOCUMENT_EVENTS, type DocumentEvent, eventOf, type Watch, type WatchedEvent,
  type WatchInput } from './watch/index.ts';
export type { BatchItem, BatchOptions, BatchResult, DocumentWriter } from './writer.ts';
