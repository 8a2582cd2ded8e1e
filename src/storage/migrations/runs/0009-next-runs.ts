import type { Migration } from '../migration.ts';

/** The order in which runs are handed out, over all lanes. */
export const nextRuns: Migration = {
  version: 9,
  name: 'runs-next',
  sql: `
CREATE INDEX runs_next ON runs(priority DESC, seq) WHERE state = 'queued' AND ready = 1;
`,
};
