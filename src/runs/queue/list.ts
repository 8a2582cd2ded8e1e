import type { Queries, Sql, SqlValue } from '../../storage/index.ts';
import type { ListFilter, RunKind, RunRecord, RunState } from './port.ts';
import { type RunRow, toRecord } from './run-rows.ts';

const STATES: readonly RunState[] = ['queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'];
const KINDS: readonly RunKind[] = ['diagnostic', 'pipeline', 'ai_text'];

interface Position {
  readonly createdAt: number;
  readonly id: string;
}

/** A position before the first run in list order. */
const TOP: Position = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

/**
 * One page of runs, newest first (run-queue decisions, section 2.1), in one statement that reads at most a page of each
 * index range: a filter that matches no index prefix is split by state and kind.
 */
export async function list(from: Queries & Pick<Sql, 'background'>, filter: ListFilter, before: Position | undefined,
  limit: number): Promise<RunRecord[]>
{
  const { sql, values } = listQuery(filter, before ?? TOP, limit);
  // Filters without an index scan all runs.
  const rows = await (isHeavy(filter) ? from.background : from).all<RunRow>(sql, values);
  return rows.map(toRecord);
}

/** Runs of one source or origin, or runs without cells, may be few among many. */
const isHeavy = ({ source, schedule, by, withoutCells, parentId }: ListFilter): boolean =>
  parentId === undefined &&
  (source !== undefined || schedule !== undefined || by !== undefined || withoutCells === true);

export function listQuery(filter: ListFilter, { createdAt, id }: Position,
  limit: number): { sql: string; values: SqlValue[] }
{
  if (filter.parentId !== undefined || filter.source !== undefined || filter.schedule !== undefined ||
    filter.by !== undefined || filter.withoutCells) return scanQuery(filter, { createdAt, id }, limit);
  const parts = partsOf(filter);
  const values = parts.flatMap((part) => [...part.map(([, value]) => value), createdAt, id, limit]);
  if (parts.length === 1) return { sql: rangeQuery('*', parts[0]!), values };
  const ranges = parts.map((part) => `SELECT * FROM (${rangeQuery('created_at, id', part)}) AS part`).join(
    ' UNION ALL ',
  );
  const sql =
    `SELECT * FROM runs WHERE id IN (SELECT id FROM (${ranges}) AS parts ORDER BY created_at DESC, id DESC LIMIT ?) ` +
    'ORDER BY created_at DESC, id DESC';
  return { sql, values: [...values, limit] };
}

/**
 * Reads the cells of one run, of which there are at most a hundred, or reads in the order of time with conditions that
 * no index range covers.
 */
function scanQuery({ parentId, source, schedule, by, withoutCells, projectId, state, kind }: ListFilter,
  { createdAt, id }: Position, limit: number): { sql: string; values: SqlValue[] }
{
  const conditions: [string, SqlValue?][] = [
    ...(parentId === undefined ? [] : [['parent_id = ?', parentId] as [string, SqlValue]]),
    ...(source === undefined ? [] : [['source = ?', source] as [string, SqlValue]]),
    ...(source === undefined || source === 'api' ? [] : [["source <> 'api'"] as [string]]), // as the index has it
    ...(schedule === undefined
      ? []
      : [["source = 'schedule'"] as [string], ["origin ->> '$.schedule' = ?", schedule] as [string, SqlValue]]),
    ...(by === undefined ? [] : [["origin ->> '$.by' = ?", by] as [string, SqlValue]]),
    ...(by === undefined || by === 'api' ? [] : [["origin ->> '$.by' <> 'api'"] as [string]]), // as the index has it
    ...(withoutCells && parentId === undefined ? [['parent_id IS NULL'] as [string]] : []),
    ...(projectId === undefined ? [] : [['project_id = ?', projectId] as [string, SqlValue]]),
    ...(state === undefined ? [] : [['state = ?', state] as [string, SqlValue]]),
    ...(kind === undefined ? [] : [['kind = ?', kind] as [string, SqlValue]]),
  ];
  const where = [...conditions.map(([text]) => text), '(created_at, id) < (?, ?)'].join(' AND ');
  return {
    sql: `SELECT * FROM runs WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ?`,
    values: [...conditions.flatMap(([, value]) => (value === undefined ? [] : [value])), createdAt, id, limit],
  };
}

type Part = readonly (readonly [column: string, value: string])[];

/** Sets of conditions that together select the runs of the filter; each set reads one range of one index. */
function partsOf({ projectId, state, kind }: ListFilter): Part[] {
  const project: Part = projectId === undefined ? [] : [['project_id', projectId]];
  if (projectId === undefined && state === undefined && kind === undefined) return [[]];
  const states = state === undefined ? STATES : [state];
  const kinds = kind === undefined ? KINDS : [kind];
  return states.flatMap((one) => kinds.map((other): Part => [...project, ['state', one], ['kind', other]]));
}

const HELD: ReadonlySet<string> = new Set<RunState>(['running', 'cancelling']);

/**
 * As the index for lists of a project has it. Runs that ships hold are few, and are read from those of all projects.
 */
const OF_PROJECT = "state NOT IN ('running', 'cancelling')";

function rangeQuery(columns: string, part: Part): string {
  const names = part.map(([column]) => column);
  const isHeld = part.some(([column, value]) => column === 'state' && HELD.has(value));
  const conditions = [...names.map((column) => `${column} = ?`),
    ...(names.includes('project_id') && !isHeld ? [OF_PROJECT] : []), '(created_at, id) < (?, ?)'];
  return `SELECT ${columns} FROM runs WHERE ${conditions.join(' AND ')} ORDER BY created_at DESC, id DESC LIMIT ?`;
}
