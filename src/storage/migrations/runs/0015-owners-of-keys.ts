import type { Migration } from '../migration.ts';

/** Idempotency keys belong to the token that used them. */
export const ownersOfKeys: Migration = {
  version: 15,
  name: 'runs-owners-of-keys',
  sql: `
-- \`space\` is the caller now: 'api', or 'token:NAME'. Before, all clients shared 'api'.
UPDATE idempotency SET space = (SELECT runs.origin ->> '$.by' FROM runs WHERE runs.id = idempotency.run_id)
  WHERE space = 'api' AND run_id IN (SELECT runs.id FROM runs WHERE runs.origin ->> '$.by' LIKE 'token:%');
`,
};
