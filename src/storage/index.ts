/** The entry point of the storage room: the SQL port and its drivers, migrations, the body codec, the change feed. */
import * as outbox from './outbox/index.ts';

export type { CommitQueries, CommitRecorder, Peers, Queries, Row, Sql, SqlValue, Transaction, TransactionOptions } from './port.ts';
export { openDatabase, openPostgres, type DatabaseOptions } from './open-database.ts';
export { DOCUMENT_MIGRATIONS, migrate, RUN_QUEUE_MIGRATIONS, type Migration } from './migrations/index.ts';
export { snapshotTo as snapshotDatabase } from './sqlite/snapshot.ts';
export { SqliteFollower } from './sqlite/index.ts';
export { FileLock } from './sqlite/lock.ts';
export {
  applyDelta, BodyCodec, BodyLost, BodyUnavailable, corrupt, DEFAULT_COMPRESSION, deltaHead, encodeDelta, isReference, readReference, writeReference,
  type BodyObjects, type BodyReference, type CompressionOptions, type EncodedBody, type PlacedBody,
} from './body/index.ts';
export {
  countKeys, isSealed, isSealedText, keyIdOfHead, keyIdOfText, KeyRing, openBody, openMeta, openSecret, openStream, openVector, parseKeys, resealSecrets, sealSecret, SECRETS, sealBody, sealerOf, ROW_MUST_BE_SEALED, SEALED_BLOB, SEALED_META, SWITCH_PREFIX, sealMeta, sealStream, sealVector,
  storedRows, type SecretPart, type Key, type KeyCount, type KeyNames, type KeySettings, type Sealer, type StoredRow,
} from './encryption/index.ts';
export {
  beginCursor, CHANGE_FLAGS, ChangeFeed, FeedGap, forgetCursor, memoryCursor, saveCursor, storedCursor, Subscriber,
  type Change, type ChangeKind, type Cursor, type FeedReader, type Keep, type NewChange, type SubscriberOptions, type WrittenDocument,
} from './feed/index.ts';
export { copyStore, type CopiedTable } from './copy/index.ts';
export { outbox };
export { inList } from './in-list.ts';
export { MultiRow } from './multi-row.ts';
export { salvageDatabase, type LostDocument, type SalvagedTable, type SalvageReport } from './repair/index.ts';
export { verifyDatabaseFile, type Verdict, type VerifyOptions } from './verify/index.ts';
