import { documents } from './0001-documents.ts';
import { searchRules } from './0002-search-rules.ts';
import { vectors } from './0003-vectors.ts';
import { memory } from './0004-memory.ts';
import { encryption } from './0005-encryption.ts';
import { access } from './0006-access.ts';
import { deletedDocuments } from './0007-deleted-documents.ts';
import { columnsInMemory } from './0008-columns-in-memory.ts';
import { bulkJobs } from './0009-bulk-jobs.ts';
import { webhooks } from './0010-webhooks.ts';
import { temporal } from './0011-temporal.ts';
import { placesAndWords } from './0012-places-and-words.ts';
import { automation } from './0013-automation.ts';
import { bodyStores } from './0014-body-stores.ts';
import { replication } from './0015-replication.ts';
import { encoderVectors } from './0016-encoder-vectors.ts';
import { accounts } from './0017-accounts.ts';
import { fewerIndexes } from './0018-fewer-indexes.ts';
import { continuedJobs } from './0019-continued-jobs.ts';
import { userRecords } from './0020-user-records.ts';
import type { Migration } from './migration.ts';

/** Every format of the document service's database, oldest first. A new one is appended; none ever changes. */
export const DOCUMENT_MIGRATIONS: readonly Migration[] = [documents, searchRules, vectors, memory, encryption, access,
  deletedDocuments, columnsInMemory, bulkJobs, webhooks, temporal, placesAndWords, automation, bodyStores, replication,
  encoderVectors, accounts, fewerIndexes, continuedJobs, userRecords];
