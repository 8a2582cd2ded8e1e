/** The entry point of the storage room: the SQL port and its drivers, migrations, the body codec, the change feed. */
import * as outbox from './outbox/index.ts';

export { applyDelta, BodyCodec, BodyLost, type BodyObjects, type BodyReference, BodyUnavailable,
  type CompressionOptions, corrupt, DEFAULT_COMPRESSION, deltaHead, type EncodedBody, encodeDelta, isReference,
  type PlacedBody, readReference, writeReference } from './body/index.ts';
export { type CopiedTable, copyStore } from './copy/index.ts';
export { countKeys, isSealed, isSealedText, type Key, type KeyCount, keyIdOfHead, keyIdOfText, type KeyNames, KeyRing,
  type KeySettings, openBody, openMeta, openSecret, openStream, openVector, parseKeys, resealSecrets,
  ROW_MUST_BE_SEALED, sealBody, SEALED_BLOB, SEALED_META, type Sealer, sealerOf, sealMeta, sealSecret, sealStream,
  sealVector, type SecretPart, SECRETS, type StoredRow, storedRows, SWITCH_PREFIX } from './encryption/index.ts';
export { beginCursor, type Change, CHANGE_FLAGS, ChangeFeed, type ChangeKind, type Cursor, FeedGap, type FeedReader,
  forgetCursor, type Keep, memoryCursor, type NewChange, saveCursor, storedCursor, Subscriber, type SubscriberOptions,
  type WrittenDocument } from './feed/index.ts';
export { DOCUMENT_MIGRATIONS, migrate, type Migration, RUN_QUEUE_MIGRATIONS } from './migrations/index.ts';
export { type DatabaseOptions, openDatabase, openPostgres } from './open-database.ts';
export type { CommitQueries, CommitRecorder, Peers, Queries, Row, Sql, SqlValue, Transaction,
  TransactionOptions } from './port.ts';
export { SqliteFollower } from './sqlite/index.ts';
export { FileLock } from './sqlite/lock.ts';
export { snapshotTo as snapshotDatabase } from './sqlite/snapshot.ts';
export { outbox };
export { inList } from './in-list.ts';
export { MultiRow } from './multi-row.ts';
export { type LostDocument, salvageDatabase, type SalvagedTable, type SalvageReport } from './repair/index.ts';
export { type Verdict, verifyDatabaseFile, type VerifyOptions } from './verify/index.ts';
