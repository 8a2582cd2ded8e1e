import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { verifyDatabaseFile } from '../../storage/index.ts';
import type { FollowerDeps } from './follower.ts';
import type { SnapshotPiece } from './messages.ts';

interface SnapshotDeps extends Pick<FollowerDeps, 'sql' | 'feed' | 'link' | 'nodeId' | 'format' | 'clock' | 'log'> {
  readonly epoch: number;
  /** The database contains writes of this node itself: it is copied before it is replaced. */
  readonly isOwn: boolean;
}

/** Where a database in a file receives a snapshot; a crash may leave it. */
export function snapshotFileOf(path: string): string {
  return `${path}.snapshot.tmp`;
}

/**
 * Replaces the database by a snapshot of the leader's: it is received under a temporary name, verified, and only then
 * swapped in. On any failure the previous content remains.
 */
export async function receiveSnapshot(deps: SnapshotDeps, signal: AbortSignal): Promise<void> {
  const { sql, log, clock, feed, link, nodeId, format, epoch } = deps;
  const { path } = sql.info;
  const file = path === ':memory:'
    ? join(tmpdir(), `quire-snapshot-${process.pid}-${nodeId}.tmp`)
    : snapshotFileOf(path);
  try {
    await receive(link.snapshot({ followerId: nodeId, epoch, format }, signal), file);
    const { ok, problems } = await verifyDatabaseFile(file, { knownFormat: format });
    if (!ok)
      throw new ServiceError('unavailable',
        `the snapshot of the leader is damaged: ${problems.slice(0, 3).join('; ')}`);
    if (deps.isOwn && path !== ':memory:' && (await feed.head()) > 0) {
      const kept = `${path}.before-following-${unixSeconds(clock)}.db`;
      await sql.snapshotTo(kept);
      log.warn({ file: kept },
        'what this node has written itself is kept in a file, and replaced by what the leader has');
    }
    await sql.replaceFrom(file);
  } finally {
    await rm(file, { force: true });
  }
}

async function receive(pieces: AsyncIterable<SnapshotPiece>, file: string): Promise<void> {
  await rm(file, { force: true });
  const handle = await open(file, 'wx', 0o600);
  try {
    let size = 0;
    let isWhole = false;
    for await (const { data, offset, totalSize, isLast, checksum } of pieces) {
      if (offset !== size || crc32(data) !== checksum)
        throw new ServiceError('unavailable', `a piece of the snapshot at ${offset} is damaged or out of place`);
      await handle.write(data);
      size += data.length;
      isWhole = isLast && size === totalSize;
    }
    if (!isWhole) throw new ServiceError('unavailable', `the snapshot of the leader ended after ${size} bytes`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
