/** The entry point of the documents area. */
export { toItems } from './add-document.ts';
export { keepChecksumKey } from './checksums.ts';
export { removeUnder, removeVectorRows } from './deleted-documents.ts';
export { createSealers, type Preparation, transact, type UpcomingDocument } from './deps.ts';
export type { Meta } from './document-rows.ts';
export { parseMeta } from './document-rows.ts';
export { createDocuments, type Documents } from './documents.ts';
export { type EmbeddingCapacity, type PendingDocument, type Reservation, transactWithCapacity, UNLIMITED_CAPACITY,
  type WaitBudget } from './embedding-capacity.ts';
export { collectionOfId, identify } from './identity.ts';
export { repairItem, requireText } from './item-rules.ts';
export { encodeBody, type NewVersion, putVersions } from './put-versions.ts';
export type { DocumentReader } from './reader.ts';
export type { Sweep } from './sweep.ts';
export { runInSteps, type UnitOfWork } from './unit-of-work.ts';
export { canonicalName, DOCUMENT_EVENTS, eventOf } from './watch/events.ts';
export type { DocumentEvent } from './watch/events.ts';
export type { BatchItem, BatchOptions, BatchResult, DocumentWriter } from './writer.ts';
