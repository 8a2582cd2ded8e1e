import type { Queries, Row, Transaction } from '../../storage/index.ts';
import type { RunRecord, RunRef } from '../queue/port.ts';
import type { ReportFormat } from './formats/index.ts';
import { type Origin, testedBy } from './identity.ts';

/** Rows that one transaction removes. */
const BATCH = 200;

/** A file that a ship has announced as a test report. */
interface ReportFile {
  readonly name: string;
  readonly step: string;
  readonly format: ReportFormat;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** A stored report; `stored` of its `results` are in their table. */
export interface ReportRow extends Row {
  readonly id: number;
  readonly seq: number;
  readonly attempt: number;
  readonly step: string;
  readonly name: string;
  readonly format: string;
  readonly results: number;
  readonly stored: number;
  readonly created_at: number;
}

const OF_ATTEMPT = 'SELECT t.* FROM test_reports t JOIN runs r ON r.seq = t.seq WHERE r.id = ? AND t.attempt = ?';

export const reportsOfAttempt = (from: Queries, runId: string, attempt: number): Promise<ReportRow[]> =>
  from.all<ReportRow>(`${OF_ATTEMPT} ORDER BY t.id`, [runId, attempt]);

/** The report of the attempt with this name and content: a second one says nothing new. */
export const findReport = (from: Queries, { runId, attempt }: Omit<RunRef, 'fence'>, { name, sha256 }: ReportFile) =>
  from.get<ReportRow>(`${OF_ATTEMPT} AND t.name = ? AND t.sha256 = ?`, [runId, attempt, name, sha256]);

/** Adds a report without results. */
export async function addReport(tx: Transaction, run: RunRecord, origin: Origin, file: ReportFile,
  { attempt, results, createdAt }: { readonly attempt: number; readonly results: number;
    readonly createdAt: number }): Promise<ReportRow>
{
  await tx.run(
    'INSERT INTO test_reports(seq, attempt, step, name, format, sha256, project_id, tested, results, stored, ' +
      'created_at) SELECT seq, ?, ?, ?, ?, ?, ?, ?, ?, 0, ? FROM runs WHERE id = ?',
    [attempt, file.step, file.name, file.format, file.sha256, origin.projectId, testedBy(run), results, createdAt,
      run.id],
  );
  return (await findReport(tx, { runId: run.id, attempt }, file))!;
}

/** The newest reports of the project about the same commit. */
const OF_CHANGE = 'SELECT id FROM test_reports WHERE project_id = ? AND tested = ? ORDER BY id DESC LIMIT 20';

export async function reportsOfChange(from: Queries, projectId: string, tested: string): Promise<number[]> {
  return (await from.all<{ id: number }>(OF_CHANGE, [projectId, tested])).map(({ id }) => id);
}

const EXPIRED = `SELECT id FROM test_reports WHERE created_at <= ? ORDER BY created_at LIMIT 1`;
const SOME_RESULTS = `SELECT id FROM test_results WHERE report_id = ? ORDER BY id LIMIT ${BATCH}`;
// A test whose last result is gone has none: results are removed by age, the oldest first.
const UNUSED = `SELECT id FROM tests WHERE last_at <= ? ORDER BY last_at LIMIT ${BATCH}`;

/** Removes some of what was reported before that time; returns whether there may be more. */
export async function removeExpired(tx: Transaction, until: number): Promise<boolean> {
  const report = await tx.get<{ id: number }>(EXPIRED, [until]);
  if (report !== undefined) {
    const results = await tx.all<{ id: number }>(SOME_RESULTS, [report.id]);
    await tx.runMany('DELETE FROM test_results WHERE id = ?', results.map(({ id }) => [id]));
    if (results.length < BATCH) await tx.run('DELETE FROM test_reports WHERE id = ?', [report.id]);
    return true;
  }
  const tests = await tx.all<{ id: number }>(UNUSED, [until]);
  await tx.runMany('DELETE FROM tests WHERE id = ?', tests.map(({ id }) => [id]));
  return tests.length === BATCH;
}
