import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Row, Sql } from '../../storage/index.ts';
import { expiredDocuments, filledCollections } from '../stored-collections.ts';

export interface CollectionCounts {
  readonly name: string;
  readonly documents: number;
  readonly revisions: number;
  /** Undefined while the index that provides it is loading. */
  readonly metaIndices: number | undefined;
}

export interface CountDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  /** Number of metadata values of a collection's documents; undefined while the index that provides it is loading. */
  readonly metaIndicesOf: (collection: string) => number | undefined;
}

interface Counted extends Row {
  readonly cid: number;
  readonly n: number;
}

const REVISIONS = 'SELECT d.cid, count(*) AS n FROM revisions r JOIN documents d ON d.ord = r.ord GROUP BY d.cid';

/**
 * The contents of each collection, by name; system collections (`_`) and empty ones are left out. Expired documents do
 * not count. These are long scans, so they run outside the event loop. `metaIndicesOf` is called for each collection.
 */
export async function countCollections({ sql, clock, metaIndicesOf }: CountDeps): Promise<CollectionCounts[]> {
  const [collections, expired, revisions] = await Promise.all([filledCollections(sql.background),
    expiredDocuments(sql.background, unixSeconds(clock)), sql.background.all<Counted>(REVISIONS).then(byCollection)]);
  return collections.filter(({ name }) => !isSystemCollection(name)).map(({ id, name, docs }) => ({
    name,
    documents: docs - (expired.get(id) ?? 0),
    revisions: revisions(id),
    metaIndices: metaIndicesOf(name),
  })).filter(({ documents }) => documents > 0);
}

function byCollection(rows: readonly Counted[]): (cid: number) => number {
  const counts = new Map(rows.map(({ cid, n }) => [cid, n]));
  return (cid) => counts.get(cid) ?? 0;
}

export function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
