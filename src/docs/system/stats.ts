import type { IndexBytes, Stats } from '../../../generated/docs/sdk/types.gen.ts';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Row, Sql } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { expiredDocuments, filledCollections } from '../stored-collections.ts';
import { memoryOf } from './system-info.ts';

/** Sources of the statistics. */
interface StatsSources {
  /** The implementation of `GET /v1/checksum`. */
  readonly checksum: (collection: string) => Promise<string>;
  /** Number of metadata values of a collection's documents. Rejects with `IndexLoading`. */
  readonly metaIndicesOf: (collection: string) => Promise<number>;
  readonly indexBytesOf: (collection: string) => IndexBytes;
}

/** The contents of the database (contract section 2). Rejects with `IndexLoading`. */
export async function readStats({ sql, clock, settings }: Pick<DocsEnvironment, 'sql' | 'clock' | 'settings'>,
  { checksum, metaIndicesOf, indexBytesOf }: StatsSources, uptimeSeconds: number): Promise<Stats>
{
  const counts = await countCollections({ sql, clock });
  const collections: Stats['collections'] = [];
  // One after the other, because a checksum reads its whole collection, and there is only one background reader.
  for (const { name, documents, revisions } of counts) {
    collections.push({
      name,
      documentCount: documents,
      revisionCount: revisions,
      metaIndexCount: await metaIndicesOf(name),
      checksum: await checksum(name),
      indexBytes: indexBytesOf(name),
    });
  }
  return {
    databasePath: sql.info.path,
    databaseSize: await sql.sizeBytes(),
    mode: settings.mode,
    collections,
    totalDocuments: sum(counts, ({ documents }) => documents),
    totalRevisions: sum(counts, ({ revisions }) => revisions),
    totalMetaIndices: sum(collections, ({ metaIndexCount }) => metaIndexCount),
    uptime: formatUptime(uptimeSeconds),
    memory: memoryOf(),
  };
}

/** Seconds as hours, minutes and seconds, such as `2h15m30s`; leading zeros are left out. */
export function formatUptime(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = `${Math.floor(seconds) % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

interface CollectionCounts {
  readonly name: string;
  readonly documents: number;
  readonly revisions: number;
}

interface CountDeps {
  readonly sql: Sql;
  readonly clock: Clock;
}

interface Counted extends Row {
  readonly cid: number;
  readonly n: number;
}

const REVISIONS = 'SELECT d.cid, count(*) AS n FROM revisions r JOIN documents d ON d.ord = r.ord GROUP BY d.cid';

/**
 * The contents of each collection, by name; system collections (`_`) and empty ones are left out. Expired documents do
 * not count. These are long scans, so they run outside the event loop.
 */
async function countCollections({ sql, clock }: CountDeps): Promise<CollectionCounts[]> {
  const [collections, expired, revisions] = await Promise.all([filledCollections(sql.background),
    expiredDocuments(sql.background, unixSeconds(clock)), sql.background.all<Counted>(REVISIONS).then(byCollection)]);
  return collections.filter(({ name }) => !isSystemCollection(name)).map(({ id, name, docs }) => ({
    name,
    documents: docs - (expired.get(id) ?? 0),
    revisions: revisions(id),
  })).filter(({ documents }) => documents > 0);
}

function byCollection(rows: readonly Counted[]): (cid: number) => number {
  const counts = new Map(rows.map(({ cid, n }) => [cid, n]));
  return (cid) => counts.get(cid) ?? 0;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

/** The values of the database for the metrics. */
export interface DatabaseNumbers {
  readonly sizeBytes: number;
  readonly collections: readonly CollectionCounts[];
  readonly schemas: number;
  readonly binlog: { readonly entries: number; readonly sizeBytes: number; readonly oldestLsn: number };
}

/** Columns of fixed width: three integers of the row and its header. */
const ENTRY_OVERHEAD = 24;

/** The average size is taken from the newest entries, because the time to read all of them grows with their number. */
const SAMPLE = `
  SELECT count(*) AS n, coalesce(sum(length(kind) + length(collection) + coalesce(length(doc_id), 0)
    + coalesce(length(key), 0) + coalesce(length(lang), 0) + coalesce(length(detail), 0)), 0) AS bytes
  FROM (SELECT kind, collection, doc_id, key, lang, detail FROM changes ORDER BY lsn DESC LIMIT 1000) newest`;

/** Average bytes of an entry of the change feed; 0 when there is none. */
export async function bytesOfChange(sql: Pick<Sql, 'get'>): Promise<number> {
  const sample = await sql.get<{ n: number; bytes: number }>(SAMPLE);
  return sample!.n === 0 ? 0 : sample!.bytes / sample!.n + ENTRY_OVERHEAD;
}

export async function readNumbers(
  { sql, feed, clock }: Pick<DocsEnvironment, 'sql' | 'feed' | 'clock'>,
): Promise<DatabaseNumbers> {
  const [sizeBytes, collections, schemas, head, oldestLsn, entrySize] = await Promise.all([sql.sizeBytes(),
    countCollections({ sql, clock }), sql.get<{ n: number }>('SELECT count(*) AS n FROM schemas'), feed.head(),
    feed.oldest(), bytesOfChange(sql)]);
  // Numbers are consecutive, so nothing needs to be counted.
  const entries = head === 0 ? 0 : head - oldestLsn + 1;
  return {
    sizeBytes,
    collections,
    schemas: schemas!.n,
    binlog: { entries, sizeBytes: Math.round(entries * entrySize), oldestLsn },
  };
}
