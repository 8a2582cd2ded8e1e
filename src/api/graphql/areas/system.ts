import type { BackupStats, CollectionStats, Stats } from '../../../../generated/docs/sdk/types.gen.ts';
import { defineArea } from './area.ts';

export const system = defineArea('system', {
  Query: {
    stats: (_, _args, { read, invoke }, info) =>
      read(info, async () => presentStats((await invoke('getStats', {})).value)),
  },
});

function presentStats({ collections, backups, ...stats }: Stats) {
  return {
    ...stats,
    collections: collections.map(presentCollection),
    backups: backups === undefined ? null : presentBackups(backups),
  };
}

function presentBackups(
  { nextAt, lastGoodAt, lastDurationSeconds, lastSizeBytes, lastError, ...backups }: BackupStats,
) {
  return {
    ...backups,
    nextAt: nextAt ?? null,
    lastGoodAt: lastGoodAt ?? null,
    lastDurationSeconds: lastDurationSeconds ?? null,
    lastSizeBytes: lastSizeBytes ?? null,
    lastError: lastError ?? null,
  };
}

function presentCollection({ indexBytes: { fullText, vectors, columns, geo, spelling }, ...numbers }: CollectionStats) {
  return {
    ...numbers,
    indexBytes: {
      fullText: fullText ?? null,
      vectors: vectors ?? null,
      columns: columns ?? null,
      geo: geo ?? null,
      spelling: spelling ?? null,
    },
  };
}
