import { randomBytes } from 'node:crypto';
import type { EncryptionJob } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Queries, resealSecrets, type Row, type Transaction } from '../../storage/index.ts';
import { listCollections, readCollection } from '../stored-collections.ts';
import { type Aim, type ResealDeps, type Resealed, resealRows, type StoredBatch, storedBatches } from './reseal.ts';

interface RotationDeps extends ResealDeps {
  readonly log: Log;
  /** Other processes share the database, and one of them does the work: the one that called `recover`. */
  readonly isNode?: boolean | undefined;
}

type Job = { -readonly [K in keyof EncryptionJob]: EncryptionJob[K] };

/** Maximum length of a failure in a job. */
const MAX_ERROR = 500;

/**
 * Encrypts values of other keys with the primary key, one job at a time (decisions, section 3.3). Values that are
 * written meanwhile use the primary key already. A job does not survive the process: its finished work stays, and the
 * next job continues with the rest.
 */
export class Rotation {
  readonly #deps: RotationDeps;
  #current: Job | undefined;
  #starting: Promise<Job> | undefined;
  #work: Promise<void> = Promise.resolve();
  #stopping = new AbortController();
  #worksHere: boolean;

  constructor(deps: RotationDeps) {
    this.#deps = deps;
    this.#worksHere = deps.isNode !== true;
  }

  /** The queued or running job. */
  get current(): EncryptionJob | undefined {
    return this.#current && { ...this.#current };
  }

  /** Marks the jobs of an earlier process as ended. */
  async recover(): Promise<void> {
    const { sql, clock, isNode = false } = this.#deps;
    if (await readOpenJob(sql) !== undefined)
      await sql.transaction((tx) => failInterrupted(tx, unixSeconds(clock), isNode));
    this.#worksHere = true;
  }

  /** Begins a job that another process has queued, if this one does the work. */
  async wake(): Promise<void> {
    const isFree = (): boolean =>
      this.#worksHere && this.#current === undefined && this.#starting === undefined && !this.#stopping.signal.aborted;
    if (this.#deps.isNode !== true || !isFree()) return;
    const job = await readOpenJob(this.#deps.sql);
    if (job?.status === 'queued' && isFree()) this.#begin(job);
  }

  /**
   * Starts a job for one collection, by its lowercased name, or for all if it is empty; returns the running job if
   * there is one.
   */
  async rotate(collection: string): Promise<EncryptionJob> {
    if (this.#current !== undefined) return { ...this.#current };
    this.#starting ??= this.#start(collection).finally(() => (this.#starting = undefined));
    return { ...(await this.#starting) };
  }

  /** Ends the running job after its batch, and waits for it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#starting?.catch(() => undefined);
    await this.#work;
  }

  /** Resolves when no job is running. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async #start(collection: string): Promise<Job> {
    const { sql, keys, clock, isNode = false } = this.#deps;
    const job: Job = {
      id: `rot_${randomBytes(12).toString('hex')}`,
      status: 'queued',
      collection,
      primaryKeyID: keys.primaryId,
      startedAt: unixSeconds(clock),
      finishedAt: 0,
      scanned: 0,
      reencrypted: 0,
      skipped: 0,
      errors: 0,
      lastError: '',
    };
    const open = await sql.transaction(async (tx) => {
      const other = isNode ? await readOpenJob(tx) : undefined;
      if (other === undefined) await insertJob(tx, job);
      return other;
    });
    if (open !== undefined) return open;
    const queued = { ...job };
    if (this.#worksHere) this.#begin(job);
    return queued;
  }

  #begin(job: Job): void {
    this.#current = job;
    this.#work = this.#run(job);
  }

  /** Never rejects. */
  async #run(job: Job): Promise<void> {
    const { log } = this.#deps;
    try {
      await this.#rotateAll(job);
      job.status = job.errors > 0 && job.reencrypted === 0 ? 'failed' : 'completed';
    } catch (error) {
      job.status = 'failed';
      job.lastError = this.#stopping.signal.aborted ? 'interrupted' : messageOf(error);
      if (!this.#stopping.signal.aborted)
        log.error({ err: error, job: job.id }, 'rotation of the encryption key failed');
    }
    job.finishedAt = unixSeconds(this.#deps.clock);
    try {
      await this.#deps.sql.transaction((tx) => updateJob(tx, job));
      log.info({ job: job.id, status: job.status, reencrypted: job.reencrypted, errors: job.errors },
        'rotation of the encryption key ended');
    } catch (error) {
      // The next start finds the unfinished job and ends it.
      log.error({ err: error, job: job.id }, 'the end of a rotation could not be written down');
    }
    this.#current = undefined;
  }

  async #rotateAll(job: Job): Promise<void> {
    const { sql, keys } = this.#deps;
    const aim: Aim = { seals: true, concerns: (keyId) => keyId !== undefined && keyId !== keys.primaryId };
    const collections = job.collection === ''
      ? await listCollections(sql)
      : [await readCollection(sql, job.collection) ?? []].flat();
    job.status = 'running';
    await sql.transaction((tx) => updateJob(tx, job));
    if (job.collection === '') await resealSecrets(sql, keys, this.#stopping.signal);
    for (const { id } of collections) {
      for await (const batch of storedBatches(sql, id, aim)) {
        this.#stopping.signal.throwIfAborted();
        if (!batch.isAgain) {
          job.scanned += batch.values;
          job.skipped += batch.skipped;
        }
        if (batch.concerned.length > 0) await this.#rotateSome(job, batch, aim);
      }
    }
  }

  /**
   * Progress is stored in the transaction of the values that it counts. Of values that are listed again, only the
   * written ones are new.
   */
  async #rotateSome(job: Job, { concerned, isAgain }: StoredBatch, aim: Aim): Promise<void> {
    const after = ({ written, errors }: Resealed) => ({
      scanned: job.scanned + (isAgain ? written : 0),
      reencrypted: job.reencrypted + written,
      errors: job.errors + (isAgain ? 0 : errors.length),
    });
    const resealed = await resealRows(this.#deps, concerned, aim,
      (tx, counted) => updateJob(tx, { ...job, ...after(counted) }));
    Object.assign(job, after(resealed));
    if (resealed.errors.length > 0) job.lastError = messageOf(resealed.errors.at(-1));
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR);
}

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

async function insertJob(tx: Transaction, job: EncryptionJob): Promise<void> {
  await tx.run('INSERT INTO encryption_jobs(id, status, collection, primary_key_id, started_at) VALUES (?, ?, ?, ?, ?)',
    [job.id, job.status, job.collection, job.primaryKeyID, job.startedAt]);
  await tx.run(
    'DELETE FROM encryption_jobs WHERE seq <= (SELECT seq FROM encryption_jobs ORDER BY seq DESC LIMIT 1 OFFSET ?)',
    [KEPT],
  );
}

async function updateJob(tx: Transaction, job: EncryptionJob): Promise<void> {
  await tx.run(
    'UPDATE encryption_jobs SET status = ?, finished_at = ?, scanned = ?, reencrypted = ?, skipped = ?, errors = ' +
      '?, last_error = ? WHERE id = ?',
    [job.status, job.finishedAt, job.scanned, job.reencrypted, job.skipped, job.errors, job.lastError, job.id],
  );
}

/** Marks jobs that an earlier process left unfinished as ended; with `keepQueued`, only those that had begun. */
async function failInterrupted(tx: Transaction, now: number, keepQueued: boolean): Promise<void> {
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
