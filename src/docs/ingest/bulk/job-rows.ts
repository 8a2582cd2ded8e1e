import { randomBytes } from 'node:crypto';
import type { BulkIngestJob } from '../../../../generated/docs/sdk/types.gen.ts';
import { type Clock, unixSeconds } from '../../../lib/clock.ts';
import { inList, type KeyRing, openSecret, type Queries, type Row, sealSecret, SECRETS,
  type Transaction } from '../../../storage/index.ts';
import type { BatchResult } from '../../documents/index.ts';
import { shownUrl } from '../../secrets.ts';

/**
 * Number of records that are kept (decisions, section 2.4); unfinished jobs, and jobs with a due callback, are kept in
 * addition.
 */
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
  readonly error: string | null;
  readonly continued_as: string | null;
  readonly origin_id: string | null;
  readonly origin_seq: number | null;
  readonly skipped: number;
  readonly callback_url: string | null;
  readonly callback_attempts: number;
  readonly callback_due: number | null;
  readonly submitted_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  /** JSON of a `BackgroundUser`; empty if no user has submitted the job. */
  readonly submitter: string;
}

interface NewJob {
  readonly id: string;
  readonly collection: string;
  readonly total: number;
  readonly callbackUrl: string | undefined;
  readonly submittedAt: number;
  /** As in a row. */
  readonly submitter: string;
}

export function newJobId(clock: Clock): string {
  return `job_${clock.now()}_${randomBytes(3).toString('hex')}`;
}

/** Inserts a pending job and returns its number; removes the oldest finished jobs. */
export async function insertJob(tx: Transaction, keys: KeyRing | undefined, job: NewJob): Promise<number> {
  await tx.run(
    'INSERT INTO bulk_jobs(id, collection, status, total, callback_url, submitted_at, submitter) VALUES (?, ?, ' +
      "'pending', ?, ?, ?, ?)",
    [job.id, job.collection, job.total,
      job.callbackUrl === undefined ? null : sealSecret(keys, SECRETS.callbackUrl, job.id, job.callbackUrl),
      job.submittedAt, job.submitter],
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

/** The unfinished job whose documents were submitted first, except those of some collections. */
export async function nextJob(queries: Queries, except: readonly string[] = []): Promise<JobRow | undefined> {
  const { marks, params } = except.length === 0 ? { marks: '', params: [] } : inList(except);
  const others = marks === '' ? '' : `AND collection NOT IN (${marks})`;
  return queries.get<JobRow>(
    `SELECT * FROM bulk_jobs WHERE status IN ('pending', 'processing') ${others} ORDER BY COALESCE(origin_seq, seq) ` +
      'LIMIT 1',
    params,
  );
}

/** Returns false when the job is no longer pending. */
export async function takeJob(tx: Transaction, { seq }: JobRow, now: number): Promise<boolean> {
  return (await tx.run(
    "UPDATE bulk_jobs SET status = 'processing', started_at = ? WHERE seq = ? AND status = 'pending'",
    [now, seq],
  )).changes === 1;
}

/** Progress of a job after some of its documents. */
interface Progress {
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
 * Stores the progress of a job. Returns false when it is not at `before`, because another worker has continued it or
 * the database was replaced; the caller must then roll the transaction back.
 */
export async function advanceJob(tx: Transaction, keys: KeyRing | undefined,
  { job, before, result, processed }: Progress): Promise<boolean>
{
  const errors = [...errorsOf(job, keys), ...result.errors.map((line) => shifted(line, job.processed))].slice(0,
    MAX_ERRORS);
  const { changes } = await tx.run(`
    UPDATE bulk_jobs SET processed = ?, added = ?, updated = ?, failed = ?, sanitized = ?, embedding_dropped = ?, errors = ?
    WHERE seq = ? AND id = ? AND processed = ? AND status = 'processing'`, [processed, job.added + result.added,
    job.updated + result.updated, job.failed + result.failed, job.sanitized + result.sanitized,
    job.embedding_dropped + result.embeddingDropped, toStored(job.id, errors, keys), job.seq, job.id, before]);
  return changes === 1;
}

/** Errors of a batch begin with an index in the batch, those of a job with an index in the job. */
function shifted(line: string, by: number): string {
  return line.replace(/^\d+/, (index) => String(Number(index) + by));
}

/** Ends a job: as `completed` if at least one of its documents was stored, otherwise as `failed`. */
export async function endJob(tx: Transaction, keys: KeyRing | undefined, { seq, id }: JobRow,
  now: number): Promise<void>
{
  await tx.run(`
    UPDATE bulk_jobs SET completed_at = ?, callback_due = ${DUE},
      status = CASE WHEN added + updated > 0 THEN 'completed' ELSE 'failed' END, error = CASE WHEN added + updated > 0 THEN NULL ELSE ? END
    WHERE seq = ?`, [toSeconds(now), now,
    sealSecret(keys, SECRETS.jobError, id, 'none of its documents could be stored'), seq]);
  await tx.run('DELETE FROM bulk_documents WHERE job = ?', [seq]);
}

/**
 * Ends a job that a restart has interrupted, and adds one that continues with its remaining documents, at its place in
 * the order of all jobs: documents that were submitted later must still be written later. Has no effect on a job that
 * is no longer processed.
 */
export async function continueJob(tx: Transaction, keys: KeyRing | undefined, { seq, id }: JobRow,
  clock: Clock): Promise<void>
{
  const job = await tx.get<JobRow>("SELECT * FROM bulk_jobs WHERE seq = ? AND id = ? AND status = 'processing'", [seq,
    id]);
  if (job === undefined) return;
  const now = clock.now();
  const next = newJobId(clock);
  const total = job.total - job.processed;
  const callbackUrl = job.callback_url === null ? undefined : callbackUrlOf(job, keys);
  const continuing = await insertJob(tx, keys, {
    id: next,
    collection: job.collection,
    total,
    callbackUrl,
    submittedAt: unixSeconds(clock),
    submitter: job.submitter,
  });
  await tx.run('UPDATE bulk_jobs SET origin_id = ?, origin_seq = ?, skipped = ? WHERE seq = ?', [job.origin_id ?? id,
    job.origin_seq ?? seq, job.skipped + job.processed, continuing]);
  await tx.run('UPDATE bulk_documents SET job = ? WHERE job = ?', [continuing, seq]);
  await tx.run(
    `UPDATE bulk_jobs SET status = 'failed', error = ?, continued_as = ?, completed_at = ?, callback_due = ${DUE} ` +
      'WHERE seq = ?',
    [sealSecret(keys, SECRETS.jobError, id, 'interrupted by restart'), next, toSeconds(now), now, seq],
  );
}

/** Ends a job that cannot continue, with a line that says why. */
export async function failJob(tx: Transaction, keys: KeyRing | undefined, { seq, id }: JobRow, reason: string,
  now: number): Promise<void>
{
  await tx.run(
    `UPDATE bulk_jobs SET status = 'failed', errors = ?, error = ?, completed_at = ?, callback_due = ${DUE} WHERE ` +
      'seq = ?',
    [toStored(id, [reason], keys), sealSecret(keys, SECRETS.jobError, id, reason), toSeconds(now), now, seq],
  );
  await tx.run('DELETE FROM bulk_documents WHERE job = ?', [seq]);
}

/** Returns false when the job is no longer pending. */
export async function cancelJob(tx: Transaction, { seq }: JobRow, now: number): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE bulk_jobs SET status = 'cancelled', completed_at = ?, callback_due = ${DUE} WHERE seq = ? AND status = ` +
      `'pending'`,
    [toSeconds(now), now, seq],
  );
  if (changes === 1) await tx.run('DELETE FROM bulk_documents WHERE job = ?', [seq]);
  return changes === 1;
}

/** Makes the callback due if the job has one. The parameter is in milliseconds. */
const DUE = 'CASE WHEN callback_url IS NULL THEN NULL ELSE CAST(? AS BIGINT) END';

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** Reasons may quote metadata, so they are encrypted like metadata. */
function toStored(id: string, errors: readonly string[], keys: KeyRing | undefined): string {
  return sealSecret(keys, SECRETS.jobErrors, id, JSON.stringify(errors));
}

function errorsOf({ id, errors }: JobRow, keys: KeyRing | undefined): string[] {
  return JSON.parse(openSecret(keys, SECRETS.jobErrors, id, errors)) as string[];
}

/** Where the record of a job with a callback is sent. */
export function callbackUrlOf({ id, callback_url }: JobRow, keys: KeyRing | undefined): string {
  return openSecret(keys, SECRETS.callbackUrl, id, callback_url!);
}

/** The record in responses and callbacks; the query of the callback's URL is shown to nobody. */
export function toRecord(row: JobRow, keys: KeyRing | undefined): BulkIngestJob {
  const { id, collection, total, processed, added, updated, failed } = row;
  return {
    id,
    collection,
    status: row.status as BulkIngestJob['status'],
    total,
    processed,
    added,
    updated,
    failed,
    errors: errorsOf(row, keys),
    error: row.error === null ? undefined : openSecret(keys, SECRETS.jobError, id, row.error),
    continuedAs: row.continued_as ?? undefined,
    embeddingDropped: row.embedding_dropped || undefined,
    sanitized: row.sanitized || undefined,
    callbackUrl: row.callback_url === null ? undefined : shownUrl(callbackUrlOf(row, keys)),
    submittedAt: row.submitted_at,
    startedAt: row.started_at ?? undefined,
    completedAt: row.completed_at ?? undefined,
  };
}
