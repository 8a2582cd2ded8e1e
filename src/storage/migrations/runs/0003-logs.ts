import type { Migration } from '../migration.ts';

/** Logs of runs. */
export const logs: Migration = {
  version: 3,
  name: 'runs-logs',
  sql: '',
};
