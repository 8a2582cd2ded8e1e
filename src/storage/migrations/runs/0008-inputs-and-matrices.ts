import type { Migration } from '../migration.ts';

/** How runs were created, and runs that consist of others. */
export const inputsAndMatrices: Migration = {
  version: 8,
  name: 'runs-inputs-and-matrices',
  sql: `
-- \`origin\`: a JSON object of who or what queued the run; null for runs of earlier formats.
ALTER TABLE runs ADD COLUMN origin TEXT;
-- A run with \`cells\` > 0 goes to no ship: it is as its cells are, which have its id as their \`parent_id\`. \`matrix\`: the values of
-- a cell, a JSON object. A cell is \`ready\` 4 while the run that it belongs to, or the limit of its matrix, keeps it waiting; that run itself
-- is \`ready\` 4 from when its cells may start until the first of them does.
ALTER TABLE runs ADD COLUMN cells INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN parent_id TEXT;
ALTER TABLE runs ADD COLUMN matrix TEXT;
CREATE INDEX runs_of_parent ON runs(parent_id, state, seq) WHERE parent_id IS NOT NULL;

-- Most runs come by the API; a list of those is read in the order of time.
CREATE INDEX runs_by_source ON runs(source, created_at, id) WHERE source <> 'api';

-- For badges: how the last run of a pipeline ended, of all and of one branch. Cells count for the run that they belong to.
DROP INDEX runs_ended;
CREATE INDEX runs_ended ON runs(project_id, task, finished_at) WHERE kind = 'pipeline' AND state IN ('succeeded', 'failed') AND parent_id IS NULL;
CREATE INDEX runs_ended_at_ref ON runs(project_id, task, git_ref, finished_at)
  WHERE kind = 'pipeline' AND state IN ('succeeded', 'failed') AND parent_id IS NULL AND git_ref IS NOT NULL;
`,
};
