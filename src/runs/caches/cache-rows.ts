import type { Queries, Row, Transaction } from '../../storage/index.ts';
import type { WantedCache } from './requests.ts';

/** Rows that one transaction removes. */
const BATCH = 100;

/** A stored cache. */
export interface CacheRow extends Row {
  readonly project_id: string;
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
  readonly created_ms: number;
  readonly used_ms: number;
  readonly hits: number;
}

export async function hasCache(from: Queries, projectId: string, key: string): Promise<boolean> {
  return (await from.get('SELECT 1 FROM caches WHERE project_id = ? AND key = ?', [projectId, key])) !== undefined;
}

const BEGINS = 'substr(key, 1, length(CAST(? AS TEXT))) = ?';

const NEWEST = `SELECT * FROM caches WHERE project_id = ? AND ${BEGINS}
  ORDER BY created_ms DESC, key LIMIT 1`;

/** The cache of the key, or else the newest one for the first restore key that has any. */
export async function findCache(from: Queries, projectId: string,
  { key, restoreKeys }: Pick<WantedCache, 'key' | 'restoreKeys'>): Promise<CacheRow | undefined>
{
  const own = await from.get<CacheRow>('SELECT * FROM caches WHERE project_id = ? AND key = ?', [projectId, key]);
  if (own !== undefined) return own;
  for (const beginning of restoreKeys) {
    const newest = await from.get<CacheRow>(NEWEST, [projectId, beginning, beginning]);
    if (newest !== undefined) return newest;
  }
  return undefined;
}

type NewCache = Pick<CacheRow, 'project_id' | 'key' | 'size' | 'sha256' | 'created_ms' | 'used_ms'>;

/** Returns whether it was added: the first content of a key stays. */
export async function addCache(tx: Transaction,
  { project_id, key, size, sha256, created_ms, used_ms }: NewCache): Promise<boolean>
{
  const { changes } = await tx.run(
    'INSERT INTO caches(project_id, key, size, sha256, created_ms, used_ms) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT ' +
      'DO NOTHING',
    [project_id, key, size, sha256, created_ms, used_ms],
  );
  return changes === 1;
}

export async function noteUse(tx: Transaction, { project_id, key }: CacheRow, now: number): Promise<void> {
  await tx.run('UPDATE caches SET used_ms = ?, hits = hits + 1 WHERE project_id = ? AND key = ?', [now, project_id,
    key]);
}

/** A position in the list of a project's caches. */
export interface CachePosition {
  readonly createdMs: number;
  readonly key: string;
}

/** Caches of a project, newest first. */
export function listCaches(from: Queries, projectId: string, prefix: string, before: CachePosition | undefined,
  limit: number): Promise<CacheRow[]>
{
  return from.all<CacheRow>(
    `SELECT * FROM caches WHERE project_id = ? AND ${BEGINS}${
      before === undefined ? '' : ' AND (created_ms, key) < (?, ?)'
    } ORDER BY created_ms DESC, key DESC LIMIT ?`,
    [projectId, prefix, prefix, ...(before === undefined ? [] : [before.createdMs, before.key]), limit],
  );
}

export async function countCaches(from: Queries): Promise<{ readonly caches: number; readonly bytes: number }> {
  const row = await from.get<{ n: number; bytes: number | null }>(
    'SELECT count(*) AS n, CAST(SUM(size) AS BIGINT) AS bytes FROM caches',
  );
  return { caches: Number(row?.n ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/** Removes some of the caches of a project whose keys begin like this. */
export async function removeBeginning(tx: Transaction, projectId: string, prefix: string): Promise<CacheRow[]> {
  return removeRows(tx,
    await tx.all<CacheRow>(`SELECT * FROM caches WHERE project_id = ? AND ${BEGINS} ORDER BY key LIMIT ${BATCH}`, [
      projectId,
      prefix,
      prefix,
    ]));
}

/** Removes some of the caches that were last used before that time. */
export async function removeUnused(tx: Transaction, untilMs: number): Promise<CacheRow[]> {
  return removeRows(tx,
    await tx.all<CacheRow>(`SELECT * FROM caches WHERE used_ms <= ? ORDER BY used_ms LIMIT ${BATCH}`, [untilMs]));
}

/** Removes the least recently used caches while all together have more bytes than the budget, at most one batch. */
export async function removeAbove(tx: Transaction, budget: number): Promise<CacheRow[]> {
  const all = await tx.get<{ bytes: number | null }>('SELECT SUM(size) AS bytes FROM caches');
  let above = Number(all?.bytes ?? 0) - budget;
  if (above <= 0) return [];
  const rows = await tx.all<CacheRow>(`SELECT * FROM caches ORDER BY used_ms LIMIT ${BATCH}`);
  return removeRows(tx, rows.filter(({ size }) => {
    const isNeeded = above > 0;
    above -= size;
    return isNeeded;
  }));
}

export async function removeRows(tx: Transaction, rows: readonly CacheRow[]): Promise<CacheRow[]> {
  await tx.runMany('DELETE FROM caches WHERE project_id = ? AND key = ? AND sha256 = ?',
    rows.map(({ project_id, key, sha256 }) => [project_id, key, sha256]));
  return [...rows];
}

export async function isReferenced(from: Queries, sha256: string): Promise<boolean> {
  return (await from.get('SELECT 1 FROM caches WHERE sha256 = ? LIMIT 1', [sha256])) !== undefined;
}
