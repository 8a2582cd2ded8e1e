import type { Migration } from './migration.ts';

/** Nothing: the number is kept for a change that comes with another branch and takes this place. */
export const reserved: Migration = { version: 15, name: 'reserved', sql: 'SELECT 1;' };
