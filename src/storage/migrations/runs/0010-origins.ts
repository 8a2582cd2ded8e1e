import type { Migration } from '../migration.ts';

/** Lists of the runs of a schedule, and of those that a token has queued. */
export const origins: Migration = {
  version: 10,
  name: 'runs-origins',
  sql: `
CREATE INDEX runs_of_schedule ON runs((origin ->> '$.schedule'), created_at, id) WHERE source = 'schedule';
-- The token of the service queues most runs where there are no others; a list of those is read in the order of time.
CREATE INDEX runs_of_actor ON runs((origin ->> '$.by'), created_at, id) WHERE origin ->> '$.by' <> 'api';
`,
};
