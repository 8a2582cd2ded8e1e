import type { Queries, Row, Transaction } from '../../storage/index.ts';
import type { RunRef } from '../queue/port.ts';
import type { ArtifactRecord } from './port.ts';

/** Rows that one transaction removes. */
const BATCH = 100;

interface ArtifactRow extends Row {
  readonly seq: number;
  readonly attempt: number;
  readonly name: string;
  readonly step: string;
  readonly size: number;
  readonly sha256: string;
  readonly executable: number;
  readonly created_at: number;
}

export interface RemovedFile {
  readonly size: number;
  readonly sha256: string;
}

const toRecord = (
  { name, attempt, step, size, sha256, executable, created_at: createdAt }: ArtifactRow,
): ArtifactRecord => ({ name, attempt, step, size, sha256, executable: executable === 1, createdAt });

const OF_ATTEMPT = 'SELECT a.* FROM artifacts a JOIN runs r ON r.seq = a.seq WHERE r.id = ? AND a.attempt = ?';

export async function listOfAttempt(from: Queries, runId: string, attempt: number): Promise<ArtifactRecord[]> {
  return (await from.all<ArtifactRow>(`${OF_ATTEMPT} ORDER BY a.name`, [runId, attempt])).map(toRecord);
}

export async function findByName(from: Queries, runId: string, attempt: number,
  name: string): Promise<ArtifactRecord | undefined>
{
  const row = await from.get<ArtifactRow>(`${OF_ATTEMPT} AND a.name = ?`, [runId, attempt, name]);
  return row === undefined ? undefined : toRecord(row);
}

/** Files of an attempt, except the one with this name. */
export async function countOthers(from: Queries, { runId, attempt }: RunRef, name: string): Promise<number> {
  const row = await from.get<{ n: number }>(
    'SELECT COUNT(*) AS n FROM artifacts a JOIN runs r ON r.seq = a.seq WHERE r.id = ? AND a.attempt = ? AND ' +
      'a.name <> ?',
    [runId, attempt, name],
  );
  return row?.n ?? 0;
}

/**
 * Transactions that change artefacts and their total take turns, also those of other servers: so the total is exact.
 */
export const lockTotal = (tx: Transaction): Promise<void> => tx.lock('total of artefacts');

export const COUNTING = { isolation: 'read committed' } as const;

/** Bytes of the artefacts of all servers over the store. */
export async function totalBytes(from: Queries): Promise<number> {
  return (await from.get<{ bytes: number }>('SELECT bytes FROM artifact_total'))?.bytes ?? 0;
}

async function count(tx: Transaction, bytes: number): Promise<void> {
  await tx.run(
    'INSERT INTO artifact_total(id, bytes) VALUES (1, ?) ON CONFLICT(id) DO UPDATE SET bytes = ' +
      'artifact_total.bytes + excluded.bytes',
    [bytes],
  );
}

/**
 * Adds a file to an attempt and replaces one with the same name; returns the replaced file. Must be called with
 * `lockTotal`.
 */
export async function addArtifact(tx: Transaction, { runId, attempt, fence }: RunRef,
  file: Omit<ArtifactRecord, 'attempt'>): Promise<RemovedFile | undefined>
{
  const run = await tx.get<{ seq: number }>('SELECT seq FROM runs WHERE id = ?', [runId]);
  const seq = run!.seq;
  const former = await tx.get<ArtifactRow>('SELECT * FROM artifacts WHERE seq = ? AND attempt = ? AND name = ?', [seq,
    attempt, file.name]);
  if (former !== undefined)
    await tx.run('DELETE FROM artifacts WHERE seq = ? AND attempt = ? AND name = ?', [seq, attempt, file.name]);
  await tx.run(
    'INSERT INTO artifacts(seq, attempt, name, fence, step, size, sha256, executable, created_at) VALUES (?, ?, ?, ?, ?, ' +
      '?, ?, ?, ?)',
    [seq, attempt, file.name, fence, file.step, file.size, file.sha256, file.executable ? 1 : 0, file.createdAt],
  );
  await count(tx, file.size - (former?.size ?? 0));
  return former && { size: former.size, sha256: former.sha256 };
}

// Oldest first: a run's files are older than its end.
const EXPIRED = `SELECT a.* FROM artifacts a LEFT JOIN runs r ON r.seq = a.seq
  WHERE a.created_at <= ? AND (r.seq IS NULL OR r.finished_at <= ?) ORDER BY a.created_at LIMIT ${BATCH}`;
const OLDEST = `SELECT a.* FROM artifacts a LEFT JOIN runs r ON r.seq = a.seq
  WHERE r.seq IS NULL OR r.finished_at IS NOT NULL ORDER BY a.created_at LIMIT ?`;

/**
 * Removes some of the files of runs that finished before that time or no longer exist. Must be called with `lockTotal`.
 */
export async function removeExpired(tx: Transaction, until: number): Promise<RemovedFile[]> {
  return removeRows(tx, await tx.all<ArtifactRow>(EXPIRED, [until, until]));
}

/**
 * Removes the oldest files of finished runs, at most one batch, until all files have no more than this many bytes. Must
 * be called with `lockTotal`.
 */
export async function removeAbove(tx: Transaction, most: number): Promise<RemovedFile[]> {
  const bytes = await totalBytes(tx) - most;
  if (bytes <= 0) return [];
  const rows = await tx.all<ArtifactRow>(OLDEST, [BATCH]);
  let sum = 0;
  return removeRows(tx, rows.filter(({ size }) => {
    const isNeeded = sum < bytes;
    sum += size;
    return isNeeded;
  }));
}

async function removeRows(tx: Transaction, rows: readonly ArtifactRow[]): Promise<RemovedFile[]> {
  await tx.runMany('DELETE FROM artifacts WHERE seq = ? AND attempt = ? AND name = ?',
    rows.map(({ seq, attempt, name }) => [seq, attempt, name]));
  await count(tx, -rows.reduce((sum, { size }) => sum + size, 0));
  return rows.map(({ size, sha256 }) => ({ size, sha256 }));
}

export async function isReferenced(from: Queries, sha256: string): Promise<boolean> {
  return (await from.get('SELECT 1 FROM artifacts WHERE sha256 = ? LIMIT 1', [sha256])) !== undefined;
}
