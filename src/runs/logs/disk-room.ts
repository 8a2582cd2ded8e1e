import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatByteSize } from '../../lib/byte-size.ts';
import type { Log } from '../../lib/log.ts';
import { inDataDir } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';

/** Least time between two checks of the disk. */
const LOOK_MS = 1000;

interface DiskRoomOptions {
  /** Folder of the store. */
  readonly folder: string;
  /** Bytes that are reserved for the states and ends of runs. */
  readonly reserve: () => number;
  /** Elapsed milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Free bytes on the disk of the folder. */
  readonly free?: (folder: string) => Promise<number>;
}

/**
 * Whether the disk of the store has more free space than is reserved for the states and ends of runs, so that logs
 * cannot use that up.
 */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  #isShort = false;
  #lookedAt = -Infinity;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  /** The result of the last check, which is recent if this is called often. */
  isShort(): boolean {
    if (this.#options.now() - this.#lookedAt >= LOOK_MS) void this.look();
    return this.#isShort;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    const { now, folder, free = freeBytes, reserve, log } = this.#options;
    this.#lookedAt = now();
    const bytes = await free(folder).catch(() => Infinity);
    const isShort = bytes < reserve();
    if (isShort === this.#isShort) return;
    this.#isShort = isShort;
    if (isShort)
      log.error({ free: bytes, folder },
        `the disk has less than ${formatByteSize(reserve())} left: lines of logs are not taken, so that runs can end`);
    else log.warn({ free: bytes, folder }, 'the disk has room for logs again');
  }
}

/** Undefined for a store in memory, and for a store on a database server. */
export function diskRoomOf(
  { config, log, sql }: Pick<RunsEnvironment, 'config' | 'log' | 'sql'>,
): DiskRoom | undefined {
  const settings = config.current().config;
  const { path } = settings.storage.sqlite;
  if (sql.info.driver === 'postgres' || path === ':memory:') return undefined;
  return new DiskRoom({
    folder: dirname(inDataDir(settings, path)),
    reserve: () => config.current().config.storage.reserve,
    now: () => performance.now(),
    log,
  });
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
