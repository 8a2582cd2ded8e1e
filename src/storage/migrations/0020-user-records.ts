import type { Migration } from './migration.ts';

/**
 * A user is a record and not a name: `uid` stays the same while the record exists, and no later user of that name gets
 * it. What belongs to a user names the record. Older builds can use the database: users that they create have no `uid`,
 * and their `token_id` counts instead.
 */
export const userRecords: Migration = {
  version: 20,
  name: 'user-records',
  sql: `
ALTER TABLE users ADD COLUMN uid TEXT NOT NULL DEFAULT '';
UPDATE users SET uid = token_id;

-- The record of the user that a conversation names, if there was one when it began.
ALTER TABLE memory_sessions ADD COLUMN owner TEXT NOT NULL DEFAULT '';
UPDATE memory_sessions SET owner = COALESCE(
  (SELECT u.uid FROM users u WHERE u.username = memory_sessions.user_id AND u.created_at <= memory_sessions.created_at), '');

-- With whose rights a job is loaded: JSON of what its credential allows; empty where authentication was off.
ALTER TABLE bulk_jobs ADD COLUMN submitter TEXT NOT NULL DEFAULT '';
`,
};
