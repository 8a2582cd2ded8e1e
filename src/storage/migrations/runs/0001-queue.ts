import type { Migration } from '../migration.ts';

/** The queue itself. */
export const queue: Migration = {
  version: 1,
  name: 'runs-queue',
  sql: '',
};
