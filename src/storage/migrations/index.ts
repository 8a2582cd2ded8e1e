import { documents } from './0001-documents.ts';
import { runs } from './0001-runs.ts';
import type { Migration } from './migrate.ts';

export { migrate, type Migration } from './migrate.ts';

/**
 * Every format of the document service's database, oldest first. A new one is appended; a released one never changes.
 */
export const DOCUMENT_MIGRATIONS: readonly Migration[] = [documents];

/** Every format of the run queue's database, oldest first. */
export const RUN_QUEUE_MIGRATIONS: readonly Migration[] = [runs];
