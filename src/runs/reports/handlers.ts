import type { Operations } from '../../../generated/runs/operations.ts';
import type { ProjectTest, TestResult, TestTotals } from '../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Context, Handlers } from '../../operations/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { decodeCursor, pageSize, toPage } from '../pages/index.ts';
import type { Queue } from '../queue/port.ts';
import { reportsOfAttempt } from './report-rows.ts';
import { type HistoryRow, listHistory, listResults, listTests, ORDERS, type ProjectTestRow, type ResultRow,
  type RowPosition, seqOf, slowestOf, type TotalRow, totalsOf, wordsOf } from './result-rows.ts';
import { passRate } from './statistics.ts';

export type ReportHandlers = Required<
  Pick<Handlers<Operations>, 'listRunTests' | 'listProjectTests' | 'listTestHistory'>
>;

interface ReportHandlerOptions {
  readonly env: Pick<RunsEnvironment, 'sql' | 'config' | 'clock'>;
  readonly queue: Pick<Queue, 'get'>;
}

/** A test that was flaky is shown as flaky for 30 days, in seconds. */
const FLAKY_FOR = 30 * 86_400;

/** Tests that the list of slowest ones has. */
const SLOWEST = 10;

export function createReportHandlers({ env, queue }: ReportHandlerOptions): ReportHandlers {
  const { sql, config, clock } = env;
  /** Throws `project_not_found`, also for a project that is not the caller's. */
  const requireProject = (id: string, { identity }: Context): void => {
    if (config.current().config.projects.some((project) => project.id === id) && identity.may('read', id)) return;
    throw new ServiceError('project_not_found', `there is no project ${id.slice(0, 80).toWellFormed()}`);
  };
  return {
    async listRunTests({ id, attempt: given, state, q, limit, before }) {
      const attempt = await attemptOf(queue, id, given);
      const key = { seq: await seqOf(sql, id), attempt };
      const size = pageSize(limit);
      const found = await listResults(sql.background, key, { state: state || undefined, words: wordsOf(q) },
        positionOf(before), size + 1);
      const { entries, next_cursor } = toPage(found, size, ({ place: at, id: row }) => ({ at, id: String(row) }));
      const page = { data: entries.map(presentResult), next_cursor };
      if (before !== undefined) return { ...page, totals: null, slowest: [], reports: [] };
      const [totals, slowest, reports] = await Promise.all([totalsOf(sql.background, key),
        slowestOf(sql.background, key, SLOWEST), reportsOfAttempt(sql, id, attempt)]);
      return {
        ...page,
        totals: presentTotals(totals),
        slowest: slowest.map(({ key: test, suite, class: className, name, duration_ms }) => ({
          id: test,
          suite,
          class: className,
          name,
          duration_ms: duration_ms ?? 0,
        })),
        reports: reports.map(({ name, step, format, stored, created_at }) => ({
          name,
          step,
          format: format as 'junit',
          results: stored,
          created_at,
        })),
      };
    },
    async listProjectTests({ id, flaky, state, sort, q, limit, before }, context) {
      requireProject(id, context);
      const size = pageSize(limit);
      const flakySince = unixSeconds(clock) - FLAKY_FOR;
      const filter = {
        state: state || undefined,
        words: wordsOf(q),
        flakySince: flaky ? Math.max(1, flakySince) : undefined,
      };
      const found = await listTests(sql.background, id, sort, filter, positionOf(before), size + 1);
      const { entries, next_cursor } = toPage(found, size, (row) => ({ at: row[ORDERS[sort]], id: String(row.id) }));
      return { data: entries.map((row) => presentTest(row, flakySince)), next_cursor };
    },
    async listTestHistory({ id, test, limit, before }, context) {
      requireProject(id, context);
      const size = pageSize(limit);
      const { id: row } = positionOf(before) ?? { id: Number.MAX_SAFE_INTEGER };
      const found = await listHistory(sql.background, id, test, row, size + 1);
      const { entries, next_cursor } = toPage(found, size, (each) => ({ at: each.created_at, id: String(each.id) }));
      return { data: entries.map(presentEntry), next_cursor };
    },
  };
}

/** Throws `run_not_found` or `invalid_attempt`. */
async function attemptOf(queue: Pick<Queue, 'get'>, id: string, given: number | undefined): Promise<number> {
  const run = /^[0-9a-f]{32}$/.test(id) ? await queue.get(id) : undefined;
  if (run === undefined) throw new ServiceError('run_not_found', 'there is no such run');
  const attempt = given ?? run.attempt;
  if (attempt < 1 || attempt > run.attempt)
    throw new ServiceError('invalid_attempt', `attempt must be from 1 to ${run.attempt}, got ${attempt}`);
  return attempt;
}

function positionOf(before: string | undefined): RowPosition | undefined {
  if (before === undefined) return undefined;
  const { at, id } = decodeCursor(before, /^[1-9]\d{0,14}$/);
  return { at, id: Number(id) };
}

function presentResult(row: ResultRow): TestResult {
  const { key: id, kind, state, suite, class: className, name, file, line, step, report, duration_ms } = row;
  return {
    id,
    kind: kind as TestResult['kind'],
    state: state as TestResult['state'],
    suite,
    class: className,
    name,
    file: file || null,
    line,
    step,
    report,
    duration_ms,
    attempts: row.attempts,
    flaky: row.flaky === 1,
    level: row.level as TestResult['level'],
    message: row.message,
    detail: row.detail,
  };
}

function presentTotals(rows: readonly TotalRow[]): TestTotals {
  const totals = { total: 0, passed: 0, failed: 0, error: 0, warning: 0, skipped: 0, flaky: 0, duration_ms: 0 };
  for (const { state, n, flaky, ms } of rows) {
    totals[state as TestResult['state']] = n;
    totals.total += n;
    totals.flaky += flaky;
    totals.duration_ms += ms ?? 0;
  }
  return totals;
}

function presentTest(row: ProjectTestRow, flakySince: number): ProjectTest {
  return {
    id: row.key,
    pipeline: row.pipeline,
    matrix: row.matrix === '' ? null : JSON.parse(row.matrix) as ProjectTest['matrix'],
    step: row.step,
    suite: row.suite,
    class: row.class,
    name: row.name,
    file: row.file || null,
    results: row.recent.length,
    pass_rate: passRate(row.recent),
    flaky: row.flaky_at > 0 && row.flaky_at >= flakySince,
    flaky_at: row.flaky_at || null,
    mean_duration_ms: row.mean_ms,
    last_state: row.last_state as ProjectTest['last_state'],
    last_run_id: row.last_run,
    last_at: row.last_at,
    failed_run_id: row.failed_run || null,
    failed_at: row.failed_at || null,
  };
}

const presentEntry = (row: HistoryRow) => ({
  run_id: row.run_id,
  attempt: row.attempt,
  commit: row.git_commit,
  ref: row.git_ref,
  state: row.state as TestResult['state'],
  flaky: row.flaky === 1,
  duration_ms: row.duration_ms,
  message: row.message,
  created_at: row.created_at,
});
