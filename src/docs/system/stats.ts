import type { IndexBytes, Stats } from '../../../generated/docs/sdk/types.gen.ts';
import type { DocsEnvironment } from '../environment.ts';
import { countCollections, sum, type CollectionCounts } from './counts.ts';
import { formatUptime } from './uptime.ts';

/** Whom the statistics ask. */
export interface StatsSources {
  /** What `GET /v1/checksum` answers. */
  readonly checksum: (collection: string) => Promise<string>;
  /** Metadata values of a collection's documents. Throws `IndexLoading`. */
  readonly metaIndicesOf: (collection: string) => number;
  readonly indexBytesOf: (collection: string) => IndexBytes;
}

/** What the database holds (contract section 2, decision D-62). Throws `IndexLoading`. */
export async function readStats(
  { sql, clock, settings }: Pick<DocsEnvironment, 'sql' | 'clock' | 'settings'>,
  { checksum, metaIndicesOf, indexBytesOf }: StatsSources,
  uptimeSeconds: number,
): Promise<Stats> {
  const counts = await countCollections({ sql, clock, metaIndicesOf });
  const collections: Stats['collections'] = [];
  // One after the other: a checksum reads all of its collection, and there is one background reader.
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
  };
}

function toStats({ name, documents, revisions, metaIndices = 0 }: CollectionCounts, checksum: string, indexBytes: IndexBytes): Stats['collections'][number] {
  return { name, documentCount: documents, revisionCount: revisions, metaIndexCount: metaIndices, checksum, indexBytes };
}
