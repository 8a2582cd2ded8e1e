import type { Sql } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type CollectionCounts, countCollections, type CountDeps } from './counts.ts';

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

export async function readNumbers({ sql, feed, clock }: Pick<DocsEnvironment, 'sql' | 'feed' | 'clock'>,
  { metaIndicesOf }: Pick<CountDeps, 'metaIndicesOf'>): Promise<DatabaseNumbers>
{
  const [sizeBytes, collections, schemas, head, oldestLsn, entrySize] = await Promise.all([sql.sizeBytes(),
    countCollections({ sql, clock, metaIndicesOf }), sql.get<{ n: number }>('SELECT count(*) AS n FROM schemas'),
    feed.head(), feed.oldest(), bytesOfChange(sql)]);
  // Numbers are consecutive, so nothing needs to be counted.
  const entries = head === 0 ? 0 : head - oldestLsn + 1;
  return {
    sizeBytes,
    collections,
    schemas: schemas!.n,
    binlog: { entries, sizeBytes: Math.round(entries * entrySize), oldestLsn },
  };
}
