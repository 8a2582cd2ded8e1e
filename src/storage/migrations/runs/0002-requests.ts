import type { Migration } from '../migration.ts';

/** What requests and schedules leave behind. */
export const requests: Migration = {
  version: 2,
  name: 'runs-requests',
  sql: '',
};
