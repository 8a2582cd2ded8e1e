import type { Queries, Row, SqlValue } from '../../storage/index.ts';

/** A result with the texts of its test. */
export interface ResultRow extends Row {
  readonly id: number;
  readonly key: string;
  readonly kind: string;
  readonly place: number;
  readonly state: string;
  readonly suite: string;
  readonly class: string;
  readonly name: string;
  readonly file: string;
  readonly line: number | null;
  readonly step: string;
  readonly report: string;
  readonly duration_ms: number | null;
  readonly attempts: number;
  readonly flaky: number;
  readonly level: string | null;
  readonly message: string | null;
  readonly detail: string | null;
}

/** An attempt of a run by the run's number. */
export interface AttemptKey {
  readonly seq: number;
  readonly attempt: number;
}

export interface ResultFilter {
  readonly state: string | undefined;
  readonly words: readonly string[];
}

/** A position in a list: the value that it is ordered by, and the id of the row. */
export interface RowPosition {
  readonly at: number;
  readonly id: number;
}

export async function seqOf(from: Queries, runId: string): Promise<number> {
  return (await from.get<{ seq: number }>('SELECT seq FROM runs WHERE id = ?', [runId]))?.seq ?? 0;
}

/** Words of a search, at most ten. */
export const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10);

const TEXTS = "LOWER(t.suite || ' ' || t.class || ' ' || t.name || ' ' || t.file)";

/** Conditions on `tests t` for words that each must occur. */
function containing(words: readonly string[]): { readonly sql: string; readonly values: readonly string[] } {
  const like = (word: string): string => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return { sql: words.map(() => ` AND ${TEXTS} LIKE ? ESCAPE '\\'`).join(''), values: words.map(like) };
}

/** Results of an attempt, failures first, strictly after a position. Words are compared in lower case. */
export function listResults(from: Queries, { seq, attempt }: AttemptKey, { state, words }: ResultFilter,
  after: RowPosition | undefined, limit: number): Promise<ResultRow[]>
{
  const { sql, values } = containing(words);
  const { at, id } = after ?? { at: -1, id: 0 };
  return from.all<ResultRow>(
    'SELECT r.id, t.key, t.kind, r.place, r.state, t.suite, t.class, t.name, t.file, r.line, p.step, p.name AS report, ' +
      'r.duration_ms, r.attempts, r.flaky, r.level, r.message, r.detail FROM test_results r JOIN tests t ON t.id = ' +
      'r.test_id JOIN test_reports p ON p.id = r.report_id WHERE r.seq = ? AND r.attempt = ? AND (r.place, r.id) > ' +
      `(?, ?)${state === undefined ? '' : ' AND r.state = ?'}${sql} ORDER BY r.place, r.id LIMIT ?`,
    [seq, attempt, at, id, ...(state === undefined ? [] : [state]), ...values, limit],
  );
}

export interface TotalRow extends Row {
  readonly state: string;
  readonly n: number;
  readonly flaky: number;
  readonly ms: number | null;
}

export const totalsOf = (from: Queries, { seq, attempt }: AttemptKey): Promise<TotalRow[]> =>
  from.all<TotalRow>(
    'SELECT state, COUNT(*) AS n, SUM(flaky) AS flaky, SUM(duration_ms) AS ms FROM test_results WHERE seq = ? AND ' +
      'attempt = ? GROUP BY state',
    [seq, attempt],
  );

/** The slowest results of an attempt. */
export const slowestOf = (from: Queries, { seq, attempt }: AttemptKey, limit: number): Promise<ResultRow[]> =>
  from.all<ResultRow>(
    'SELECT t.key, t.suite, t.class, t.name, r.duration_ms FROM test_results r JOIN tests t ON t.id = r.test_id ' +
      'WHERE r.seq = ? AND r.attempt = ? AND r.duration_ms > 0 ORDER BY r.duration_ms DESC, r.id LIMIT ?',
    [seq, attempt, limit],
  );

/** A test over its runs. */
export interface ProjectTestRow extends Row {
  readonly id: number;
  readonly key: string;
  readonly pipeline: string;
  readonly matrix: string;
  readonly step: string;
  readonly suite: string;
  readonly class: string;
  readonly name: string;
  readonly file: string;
  readonly recent: string;
  readonly fail_permille: number;
  readonly mean_ms: number;
  readonly last_state: string;
  readonly last_run: string;
  readonly last_at: number;
  readonly failed_run: string;
  readonly failed_at: number;
  readonly flaky_at: number;
}

export const ORDERS = { failing: 'fail_permille', slowest: 'mean_ms', recent: 'last_at' } as const;
export type Order = keyof typeof ORDERS;

export interface TestFilter extends ResultFilter {
  /** Only tests that were flaky at this moment or later; undefined for all. */
  readonly flakySince: number | undefined;
}

/** Tests of a project in an order, the highest value first, strictly after a position. */
export function listTests(from: Queries, projectId: string, order: Order, { state, words, flakySince }: TestFilter,
  after: RowPosition | undefined, limit: number): Promise<ProjectTestRow[]>
{
  const { sql, values } = containing(words);
  const column = ORDERS[order];
  const conditions: SqlValue[] = [...(state === undefined ? [] : [state]),
    ...(flakySince === undefined ? [] : [flakySince])];
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: 0 };
  return from.all<ProjectTestRow>(
    `SELECT t.* FROM tests t WHERE t.project_id = ? AND t.kind = 'test' AND (t.${column}, t.id) < (?, ?)` +
      `${state === undefined ? '' : ' AND t.last_state = ?'}${flakySince === undefined ? '' : ' AND t.flaky_at >= ?'}` +
      `${sql} ORDER BY t.${column} DESC, t.id DESC LIMIT ?`,
    [projectId, at, id, ...conditions, ...values, limit],
  );
}

/** A result in the history of its test. */
export interface HistoryRow extends Row {
  readonly id: number;
  readonly run_id: string;
  readonly attempt: number;
  readonly git_commit: string | null;
  readonly git_ref: string | null;
  readonly state: string;
  readonly flaky: number;
  readonly duration_ms: number | null;
  readonly message: string | null;
  readonly created_at: number;
}

/** Results of a test, newest first, strictly before a row. */
export const listHistory = (from: Queries, projectId: string, key: string, before: number,
  limit: number): Promise<HistoryRow[]> =>
  from.all<HistoryRow>(
    'SELECT r.id, runs.id AS run_id, r.attempt, runs.git_commit, runs.git_ref, r.state, r.flaky, r.duration_ms, ' +
      'r.message, p.created_at FROM test_results r JOIN test_reports p ON p.id = r.report_id JOIN runs ON runs.seq = ' +
      'r.seq WHERE r.test_id = (SELECT id FROM tests WHERE project_id = ? AND key = ?) AND r.id < ? ORDER BY r.id ' +
      'DESC LIMIT ?',
    [projectId, key, before, limit],
  );
