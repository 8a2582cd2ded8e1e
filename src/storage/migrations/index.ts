export { documents } from './0001-documents.ts';
export { DOCUMENT_MIGRATIONS } from './document-migrations.ts';
export { migrate } from './migrate.ts';
export type { Migration } from './migration.ts';
export { refuseOlderBuilds } from './refuse-older-builds.ts';
export { RUN_QUEUE_MIGRATIONS } from './runs/index.ts';
