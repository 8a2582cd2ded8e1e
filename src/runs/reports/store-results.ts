import type { Row, SqlValue, Transaction } from '../../storage/index.ts';
import type { RunRecord } from '../queue/port.ts';
import type { ParsedResult } from './formats/index.ts';
import { type Origin, testedBy, testKey } from './identity.ts';
import { type ReportRow, reportsOfChange } from './report-rows.ts';
import { failPermille, isFailure, NO_RESULTS, placeOf, withResult } from './statistics.ts';

interface TestRow extends Row {
  readonly id: number;
  readonly key: string;
  readonly recent: string;
  readonly mean_ms: number;
  readonly file: string;
  readonly failed_run: string;
  readonly failed_at: number;
}

export interface Batch {
  readonly report: ReportRow;
  readonly run: RunRecord;
  readonly origin: Origin;
  readonly attempt: number;
  readonly results: readonly ParsedResult[];
  /** Seconds since 1970. */
  readonly now: number;
}

const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

/** Two reports of a project that arrive at once would both add the same tests, and count from the same numbers. */
const lockTests = (tx: Transaction, projectId: string): Promise<void> => tx.lock(`tests of ${projectId}`);

/** Stores some results of a report, what is now known of their tests, and how far the report is stored. */
export async function storeResults(tx: Transaction, batch: Batch): Promise<void> {
  const { report, origin, results, now } = batch;
  await lockTests(tx, origin.projectId);
  const keys = results.map((result) => testKey(origin, result));
  await addTests(tx, batch, keys);
  const tests = await readTests(tx, origin.projectId, keys);
  await tx.runMany(
    'INSERT INTO test_results(report_id, seq, attempt, place, test_id, state, level, line, duration_ms, attempts, ' +
      'flaky, message, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    results.map((result, at) => valuesOf(batch, tests.get(keys[at]!)!.id, result)),
  );
  await updateTests(tx, batch, keys, tests);
  await tx.run('UPDATE test_reports SET stored = stored + ? WHERE id = ?', [results.length, report.id]);
  const ids = [...new Set(keys)].map((key) => tests.get(key)!.id);
  await markFlaky(tx, batch, ids, now);
}

function valuesOf({ report, attempt }: Batch, testId: number, result: ParsedResult): SqlValue[] {
  const { state, level, line, durationMs, attempts, flaky, message, detail } = result;
  return [report.id, report.seq, attempt, placeOf(result), testId, state, level, line, durationMs, attempts,
    flaky ? 1 : 0, message || null, detail || null];
}

async function addTests(tx: Transaction, { origin, results, now, run }: Batch, keys: readonly string[]): Promise<void> {
  const { projectId, pipeline, matrix, step } = origin;
  await tx.runMany(
    'INSERT INTO tests(project_id, key, kind, pipeline, matrix, step, suite, class, name, file, recent, ' +
      'fail_permille, mean_ms, last_state, last_run, last_at, failed_run, failed_at, flaky_at) VALUES (?, ?, ?, ?, ' +
      '?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(project_id, key) DO NOTHING',
    results.map(({ kind, suite, className, name, file, state },
      at) => [projectId, keys[at]!, kind, pipeline, matrix, step, suite, className, name, file, '', 0, 0, state, run.id,
      now, '', 0, 0]
    ),
  );
}

async function readTests(tx: Transaction, projectId: string, keys: readonly string[]): Promise<Map<string, TestRow>> {
  const unique = [...new Set(keys)];
  const rows = await tx.all<TestRow>(
    'SELECT id, key, recent, mean_ms, file, failed_run, failed_at FROM tests WHERE project_id = ? AND key IN ' +
      `(${marks(unique.length)})`,
    [projectId, ...unique],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

async function updateTests(tx: Transaction, { results, run, now }: Batch, keys: readonly string[],
  tests: ReadonlyMap<string, TestRow>): Promise<void>
{
  const changed = new Map<string, SqlValue[]>();
  const statistics = new Map<string, ReturnType<typeof withResult>>();
  for (const [at, result] of results.entries()) {
    const key = keys[at]!;
    const row = tests.get(key)!;
    const before = statistics.get(key) ??
      (row.recent === '' ? NO_RESULTS : { recent: row.recent, meanMs: row.mean_ms });
    const after = withResult(before, result);
    statistics.set(key, after);
    const failed = isFailure(result.state) ? [run.id, now] : [row.failed_run, row.failed_at];
    changed.set(key, [after.recent, failPermille(after.recent), after.meanMs, result.file || row.file, result.state,
      run.id, now, ...failed, row.id]);
  }
  await tx.runMany(
    'UPDATE tests SET recent = ?, fail_permille = ?, mean_ms = ?, file = ?, last_state = ?, last_run = ?, last_at = ' +
      '?, failed_run = ?, failed_at = ? WHERE id = ?',
    [...changed.values()],
  );
}

/** Marks tests that passed and failed for the same change, or within this report. */
async function markFlaky(tx: Transaction, { report, run, origin }: Batch, ids: readonly number[],
  now: number): Promise<void>
{
  const reports = new Set([...await reportsOfChange(tx, origin.projectId, testedBy(run)), report.id]);
  const found = await tx.all<{ test_id: number }>(
    'SELECT test_id FROM test_results WHERE ' +
      `test_id IN (${marks(ids.length)}) AND report_id IN (${marks(reports.size)}) GROUP BY test_id HAVING ` +
      "SUM(flaky) > 0 OR (SUM(CASE WHEN state = 'passed' THEN 1 ELSE 0 END) > 0 AND SUM(CASE WHEN state IN " +
      "('failed', 'error') THEN 1 ELSE 0 END) > 0)",
    [...ids, ...reports],
  );
  await tx.runMany('UPDATE tests SET flaky_at = ? WHERE id = ? AND kind = ?',
    found.map(({ test_id: id }) => [now, id, 'test']));
}
