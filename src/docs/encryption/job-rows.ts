import type { EncryptionJob } from '../../../generated/docs/sdk/types.gen.ts';
import type { Queries, Row, Transaction } from '../../storage/index.ts';

/** Number of jobs that are kept (decisions, section 3.3). */
const KEPT = 100;

interface JobRow extends Row {
  readonly id: string;
  readonly status: string;
  readonly collection: string;
  readonly primary_key_id: number;
  readonly started_at: number;
  readonly finished_at: number;
  readonly scanned: number;
  readonly reencrypted: number;
  readonly skipped: number;
  readonly errors: number;
  readonly last_error: string;
}

export async function insertJob(tx: Transaction, job: EncryptionJob): Promise<void> {
  await tx.run('INSERT INTO encryption_jobs(id, status, collection, primary_key_id, started_at) VALUES (?, ?, ?, ?, ?)',
    [job.id, job.status, job.collection, job.primaryKeyID, job.startedAt]);
  await tx.run(
    'DELETE FROM encryption_jobs WHERE seq <= (SELECT seq FROM encryption_jobs ORDER BY seq DESC LIMIT 1 OFFSET ?)',
    [KEPT],
  );
}

export async function updateJob(tx: Transaction, job: EncryptionJob): Promise<void> {
  await tx.run(
    'UPDATE encryption_jobs SET status = ?, finished_at = ?, scanned = ?, reencrypted = ?, skipped = ?, errors = ' +
      '?, last_error = ? WHERE id = ?',
    [job.status, job.finishedAt, job.scanned, job.reencrypted, job.skipped, job.errors, job.lastError, job.id],
  );
}

/** Marks jobs that an earlier process left unfinished as ended; with `keepQueued`, only those that had begun. */
export async function failInterrupted(tx: Transaction, now: number, keepQueued: boolean): Promise<void> {
  const queued = keepQueued ? '' : " OR status = 'queued'";
  await tx.run(
    `UPDATE encryption_jobs SET status = 'failed', finished_at = ?, last_error = 'interrupted' WHERE status = ` +
      `'running'${queued}`,
    [now],
  );
}

/** The oldest job that is queued or running. */
export async function readOpenJob(queries: Queries): Promise<EncryptionJob | undefined> {
  const row = await queries.get<JobRow>(
    "SELECT * FROM encryption_jobs WHERE status IN ('queued', 'running') ORDER BY seq LIMIT 1",
  );
  return row && toJob(row);
}

/** Newest first. */
export async function readJobs(queries: Queries): Promise<EncryptionJob[]> {
  return (await queries.all<JobRow>('SELECT * FROM encryption_jobs ORDER BY seq DESC')).map(toJob);
}

export async function readJob(queries: Queries, id: string): Promise<EncryptionJob | undefined> {
  const row = await queries.get<JobRow>('SELECT * FROM encryption_jobs WHERE id = ?', [id]);
  return row && toJob(row);
}

function toJob(row: JobRow): EncryptionJob {
  const { id, collection, scanned, reencrypted, skipped, errors } = row;
  return {
    id,
    collection,
    scanned,
    reencrypted,
    skipped,
    errors,
    status: row.status as EncryptionJob['status'],
    primaryKeyID: row.primary_key_id,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    lastError: row.last_error,
  };
}
