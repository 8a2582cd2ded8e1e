import type { IndexBytes, Stats } from '../../../generated/docs/sdk/types.gen.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type CollectionCounts, countCollections, sum } from './counts.ts';
import { memoryOf } from './memory.ts';

/** Sources of the statistics. */
export interface StatsSources {
  /** The implementation of `GET /v1/checksum`. */
  readonly checksum: (collection: string) => Promise<string>;
  /** Number of metadata values of a collection's documents. Throws `IndexLoading`. */
  readonly metaIndicesOf: (collection: string) => number;
  readonly indexBytesOf: (collection: string) => IndexBytes;
}

/** The contents of the database (contract section 2). Throws `IndexLoading`. */
export async function readStats({ sql, clock, settings }: Pick<DocsEnvironment, 'sql' | 'clock' | 'settings'>,
  { checksum, metaIndicesOf, indexBytesOf }: StatsSources, uptimeSeconds: number): Promise<Stats>
{
  const counts = await countCollections({ sql, clock, metaIndicesOf });
  const collections: Stats['collections'] = [];
  // One after the other, because a checksum reads its whole collection, and there is only one background reader.
  for (const count of counts) collections.push(toStats(count, await checksum(count.name), indexBytesOf(count.name)));
  return {
    databasePath: sql.info.path,
    databaseSize: await sql.sizeBytes(),
    mode: settings.mode,
    collections,
    totalDocuments: sum(counts, ({ documents }) => documents),
    totalRevisions: sum(counts, ({ revisions }) => revisions),
    totalMetaIndices: sum(counts, ({ metaIndices = 0 }) => metaIndices),
    uptime: formatUptime(uptimeSeconds),
    memory: memoryOf(),
  };
}

function toStats({ name, documents, revisions, metaIndices = 0 }: CollectionCounts, checksum: string,
  indexBytes: IndexBytes): Stats['collections'][number]
{
  return {
    name,
    documentCount: documents,
    revisionCount: revisions,
    metaIndexCount: metaIndices,
    checksum,
    indexBytes,
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
