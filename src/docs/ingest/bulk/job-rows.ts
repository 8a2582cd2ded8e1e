import type { BulkIngestJob } from '../../../../generated/docs/sdk/types.gen.ts';
import { inList, openMeta, sealMeta, type KeyRing, type Queries, type Row, type Transaction } from '../../../storage/index.ts';
import type { BackgroundUser } from '../../access/index.ts';
import type { BatchResult } from '../../documents/index.ts';

/** Number of records that are kept (decisions, section 2.4); unfinished jobs, and jobs with a due callback, are kept in addition. */
const KEPT = 1000;

/** Maximum number of failure reasons in a record. */
const MAX_ERRORS = 50;

export interface JobRow extends Row {
  readonly seq: number;
  readonly id: string;
  readonly collection: string;
  readonly status: string;
  readonly total: number;
  readonly processed: number;
  readonly added: number;
  readonly updated: number;
  readonly failed: number;
  readonly sanitized: number;
  readonly embedding_dropped: number;
  readonly errors: string;
  readonly callback_url: string | null;
  readonly callback_attempts: number;
  readonly callback_due: number | null;
  readonly submitted_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  /** JSON of a `BackgroundUser`; empty if no user has submitted the job. */
  readonly submitter: string;
}

/** Inserts a pending job and returns its number; removes the oldest finished jobs. */
export async function insertJob(tx: Transaction, job: { id: string; collection: string; total: number; callbackUrl: string | undefined; submittedAt: number; submitter: BackgroundUser | undefined }): Promise<number> {
  await tx.run(
    "INSERT INTO bulk_jobs(id, collection, status, total, callback_url, submitted_at, submitter) VALUES (?, ?, 'pending', ?, ?, ?, ?)",
    [job.id, job.collection, job.total, job.callbackUrl ?? null, job.submittedAt, job.submitter === undefined ? '' : JSON.stringify(job.submitter)],
  );
  await tx.run(`
    DELETE FROM bulk_jobs WHERE seq <= (SELECT seq FROM bulk_jobs ORDER BY seq DESC LIMIT 1 OFFSET ?)
      AND status NOT IN ('pending', 'processing') AND callback_due IS NULL`, [KEPT]);
  return (await tx.get<{ seq: number }>('SELECT seq FROM bulk_jobs WHERE id = ?', [job.id]))!.seq;
}

export async function readJob(queries: Queries, id: string): Promise<JobRow | undefined> {
  return queries.get<JobRow>('SELECT * FROM bulk_jobs WHERE id = ?', [id]);
}

/** Newest first. */
export async function readJobs(queries: Queries): Promise<JobRow[]> {
  return queries.all<JobRow>('SELECT * FROM bulk_jobs ORDER BY seq DESC');
}

/** The oldest unfinished job, except those of some collections. */
export async function nextJob(queries: Queries, except: readonly string[] = []): Promise<JobRow | undefined> {
  const { marks, params } = except.length === 0 ? { marks: '', params: [] } : inList(except);
  const others = marks === '' ? '' : `AND collection NOT IN (${marks})`;
  return queries.get<JobRow>(`SELECT * FROM bulk_jobs WHERE status IN ('pending', 'processing') ${others} ORDER BY seq LIMIT 1`, params);
}

/** Returns false when the job is no longer pending. */
export async function takeJob(tx: Transaction, { seq }: JobRow, now: number): Promise<boolean> {
  return (await tx.run("UPDATE bulk_jobs SET status = 'processing', started_at = ? WHERE seq = ? AND status = 'pending'", [now, seq])).changes === 1;
}

/** Progress of a job after some of its documents. */
export interface Progress {
  /** The job's row before them. */
  readonly job: JobRow;
  /** Number of documents that were processed when progress was stored last. */
  readonly before: number;
  /** Outcome of the documents since `job` was read. */
  readonly result: BatchResult;
  /** Number of documents of the job that are processed. */
  readonly processed: number;
}

/**
 * Stores the progress of a job. Returns false when it is not at `before`, because another worker has continued it or the database was
 * replaced; the caller must then roll the transaction back.
 */
export async function advanceJob(tx: Transaction, keys: KeyRing | undefined, { job, before, result, processed }: Progress): Promise<boolean> {
  const errors = [...errorsOf(job, keys), ...result.errors.map((line) => shifted(line, job.processed))].slice(0, MAX_ERRORS);
  const { changes } = await tx.run(`
    UPDATE bulk_jobs SET processed = ?, added = ?, updated = ?, failed = ?, sanitized = ?, embedding_dropped = ?, errors = ?
    WHERE seq = ? AND id = ? AND processed = ? AND status = 'processing'`, [
    processed, job.added + result.added, job.updated + result.updated, job.failed + result.failed, job.sanitized + result.sanitized,
    job.embedding_dropped + result.embeddingDropped, toStored(job.id, errors, keys), job.seq, job.id, before,
  ]);
  return changes === 1;
}

/** Errors of a batch begin with an index in the batch, those of a job with an index in the job. */
function shifted(line: string, by: number): string {
  return line.replace(/^\d+/, (index) => String(Number(index) + by));
}

/** Ends a job: as `completed` if at least one of its documents was stored, otherwise as `failed`. */
export async function endJob(tx: Transaction, seq: number, now: number): Promise<void> {
  await tx.run(`
    UPDATE bulk_jobs SET status = CASE WHEN added + updated > 0 THEN 'completed' ELSE 'failed' END, completed_at = ?, callback_due = ${DUE}
    WHERE seq = ?`, [toSeconds(now), now, seq]);
  await tx.run('DELETE FROM bulk_documents WHERE job = ?', [seq]);
}

/** Ends a job that cannot continue, with a line that says why. */
export async function failJob(tx: Transaction, keys: KeyRing | undefined, { seq, id }: JobRow, reason: string, now: number): Promise<void> {
  await tx.run(`UPDATE bulk_jobs SET status = 'failed', errors = ?, completed_at = ?, callback_due = ${DUE} WHERE seq = ?`, [toStored(id, [reason], keys), toSeconds(now), now, seq]);
  await tx.run('DELETE FROM bulk_documents WHERE job = ?', [seq]);
}

/** Returns false when the job is no longer pending. */
export async function cancelJob(tx: Transaction, { seq }: JobRow, now: number): Promise<boolean> {
  const { changes } = await tx.run(`UPDATE bulk_jobs SET status = 'cancelled', completed_at = ?, callback_due = ${DUE} WHERE seq = ? AND status = 'pending'`, [toSeconds(now), now, seq]);
  if (changes === 1) await tx.run('DELETE FROM bulk_documents WHERE job = ?', [seq]);
  return changes === 1;
}

/** Makes the callback due if the job has one. The parameter is in milliseconds. */
const DUE = 'CASE WHEN callback_url IS NULL THEN NULL ELSE CAST(? AS BIGINT) END';

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** Reasons may quote metadata, so they are encrypted like metadata. */
function toStored(id: string, errors: readonly string[], keys: KeyRing | undefined): string {
  const text = JSON.stringify(errors);
  return keys === undefined || errors.length === 0 ? text : sealMeta(keys, `|${id}`, text);
}

function errorsOf({ id, errors }: JobRow, keys: KeyRing | undefined): string[] {
  return JSON.parse(keys === undefined ? errors : openMeta(keys, `|${id}`, errors)) as string[];
}

/** The record in responses and callbacks. */
export function toRecord(row: JobRow, keys: KeyRing | undefined): BulkIngestJob {
  const { id, collection, total, processed, added, updated, failed } = row;
  return {
    id, collection, status: row.status as BulkIngestJob['status'], total, processed, added, updated, failed, errors: errorsOf(row, keys),
    ...(row.embedding_dropped > 0 && { embeddingDropped: row.embedding_dropped }),
    ...(row.sanitized > 0 && { sanitized: row.sanitized }),
    ...(row.callback_url !== null && { callbackUrl: row.callback_url }),
    submittedAt: row.submitted_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.completed_at !== null && { completedAt: row.completed_at }),
  };
}
