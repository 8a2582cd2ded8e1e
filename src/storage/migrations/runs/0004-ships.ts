import type { Migration } from '../migration.ts';

/** Ships and what lets them in. */
export const ships: Migration = {
  version: 4,
  name: 'runs-ships',
  sql: '',
};
