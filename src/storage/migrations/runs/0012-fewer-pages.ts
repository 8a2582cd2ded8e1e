import type { Migration } from '../migration.ts';

/**
 * Indexes that a claim changes in fewer places. Runs of many projects are claimed together, so an index that begins
 * with the project is changed in another page for each of them, and a commit writes each changed page.
 */
export const fewerPages: Migration = {
  version: 12,
  name: 'runs-fewer-pages',
  sql: `
-- Lists of a project. What ships have is not in it: that is few runs, which lists read from \`runs_by_kind\`.
DROP INDEX runs_of_project;
CREATE INDEX runs_of_project ON runs(project_id, state, kind, created_at, id) WHERE state NOT IN ('running', 'cancelling');
-- How many runs of a project ships have.
CREATE INDEX runs_held_of_project ON runs(project_id) WHERE state IN ('running', 'cancelling') AND cells = 0;
-- Only schedules ask for it.
DROP INDEX runs_unfinished;
CREATE INDEX runs_unfinished ON runs(project_id, kind, task, source) WHERE finished_at IS NULL AND source <> 'api';
`,
};
