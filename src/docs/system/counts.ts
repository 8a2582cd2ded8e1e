import { unixSeconds, type Clock } from '../../lib/clock.ts';
import type { Row, Sql } from '../../storage/index.ts';

export interface CollectionCounts {
  readonly name: string;
  readonly documents: number;
  readonly revisions: number;
  readonly metaIndices: number;
}

interface Counted extends Row {
  readonly cid: number;
  readonly n: number;
}

const COLLECTIONS = "SELECT id, name, docs FROM collections WHERE name NOT LIKE '\\_%' ESCAPE '\\' AND docs > 0 ORDER BY name";
const EXPIRED = 'SELECT cid, count(*) AS n FROM documents WHERE expires_at <= ? GROUP BY cid';
const REVISIONS = 'SELECT d.cid, count(*) AS n FROM revisions r JOIN documents d ON d.ord = r.ord GROUP BY d.cid';
const META = 'SELECT cid, count(*) AS n FROM doc_meta GROUP BY cid';

/**
 * What each collection holds, by name; those of the system (`_`) and empty ones are left out. Expired
 * documents do not count. Long scans: they run away from the event loop.
 */
export async function countCollections(sql: Sql, clock: Clock): Promise<CollectionCounts[]> {
  const [collections, expired, revisions, meta] = await Promise.all([
    sql.background.all<{ id: number; name: string; docs: number }>(COLLECTIONS),
    sql.background.all<Counted>(EXPIRED, [unixSeconds(clock)]).then(byCollection),
    sql.background.all<Counted>(REVISIONS).then(byCollection),
    sql.background.all<Counted>(META).then(byCollection),
  ]);
  return collections
    .map(({ id, name, docs }) => ({ name, documents: docs - expired(id), revisions: revisions(id), metaIndices: meta(id) }))
    .filter(({ documents }) => documents > 0);
}

function byCollection(rows: readonly Counted[]): (cid: number) => number {
  const counts = new Map(rows.map(({ cid, n }) => [cid, n]));
  return (cid) => counts.get(cid) ?? 0;
}

export function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
