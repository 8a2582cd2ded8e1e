/** The entry point of the storage room: the SQL port and its drivers, migrations, the body codec, the change feed. */
export { BodyCodec, type EncodedBody } from './body/body-codec.ts';
export { type CompressionOptions, corrupt, DEFAULT_COMPRESSION } from './body/codec.ts';
export { applyDelta, deltaHead, encodeDelta } from './body/delta.ts';
export { BodyLost, type BodyObjects, type BodyReference, BodyUnavailable, isReference, type PlacedBody, readReference,
  writeReference } from './body/reference.ts';
export { type CopiedTable, copyStore } from './copy/copy-store.ts';
export { openBody, openMeta, openVector, openVectors, sealBody, type Sealer, sealerOf, sealMeta, sealVector,
  sealVectors } from './encryption/columns.ts';
export { type Key, KeyRing } from './encryption/key-ring.ts';
export { type KeyNames, type KeySettings, parseKeys } from './encryption/parse-keys.ts';
export { isSealed, isSealedText, keyIdOfHead, SEALED_BLOB, SEALED_META } from './encryption/record.ts';
export { ROW_MUST_BE_SEALED, SWITCH_PREFIX } from './encryption/required.ts';
export { openStream, sealStream } from './encryption/sealed-stream.ts';
export { openSecret, resealSecrets, sealSecret, type SecretPart, SECRETS } from './encryption/secrets.ts';
export { countKeys, type KeyCount, keyIdOfText, type StoredRow, storedRows } from './encryption/stored-values.ts';
export { ChangeFeed } from './feed/change-feed.ts';
export { type Change, CHANGE_FLAGS, type ChangeKind, FeedGap, NEW_DOCUMENTS, type NewChange, newOrdinals,
  type StoredDocuments, type WrittenDocument } from './feed/change.ts';
export { beginCursor, type Cursor, forgetCursor, memoryCursor, saveCursor, storedCursor } from './feed/cursor.ts';
export type { FeedReader, Keep } from './feed/pruning.ts';
export { Subscriber, type SubscriberOptions } from './feed/subscriber.ts';
export { DOCUMENT_MIGRATIONS, migrate, type Migration, RUN_QUEUE_MIGRATIONS } from './migrations/index.ts';
export { inList, MultiRow } from './multi-row.ts';
export { type DatabaseOptions, openDatabase, openPostgres } from './open-database.ts';
export * as outbox from './outbox.ts';
export type { CommitQueries, CommitRecorder, Peers, Queries, Row, Sql, SqlValue, Transaction,
  TransactionOptions } from './port.ts';
export type { LostDocument } from './repair/reconcile.ts';
export { salvageDatabase, type SalvagedTable, type SalvageReport } from './repair/salvage.ts';
export { SqliteFollower } from './sqlite/follower.ts';
export { FileLock } from './sqlite/open.ts';
export { snapshotTo as snapshotDatabase } from './sqlite/snapshot.ts';
export { decodeVectors, encodeVectors, packSparse, rowsOf, SPARSE_DIMENSIONS, type SuppliedVectors, unpackSparse,
  type VectorPlace, type VectorShape, vectorsHash } from './vectors/supplied-vectors.ts';
export { type Verdict, verifyDatabaseFile, type VerifyOptions } from './verify/verify.ts';
