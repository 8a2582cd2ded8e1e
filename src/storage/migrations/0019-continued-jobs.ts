import type { Migration } from './migration.ts';

/**
 * A bulk ingest job that a restart interrupts fails, and another job continues with its remaining documents. An older
 * build reads the documents of such a job from the wrong place, finds none, and ends the job as failed.
 */
export const continuedJobs: Migration = {
  version: 19,
  name: 'continued-jobs',
  sql: `
-- Why the job as a whole failed, encrypted where the server has a key; the id of the job that has its remaining documents.
ALTER TABLE bulk_jobs ADD COLUMN error TEXT;
ALTER TABLE bulk_jobs ADD COLUMN continued_as TEXT;

-- Of a job that continues another: id and \`seq\` of the job with which the documents were submitted, and how many of them earlier jobs have
-- processed. The rows of the documents keep their numbers and stay bound to that id; the job keeps that place in the order of all jobs.
ALTER TABLE bulk_jobs ADD COLUMN origin_id TEXT;
ALTER TABLE bulk_jobs ADD COLUMN origin_seq INTEGER;
ALTER TABLE bulk_jobs ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0;
`,
};
