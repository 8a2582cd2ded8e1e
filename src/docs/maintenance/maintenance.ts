import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Handlers, Standing } from '../../operations/index.ts';
import type { DocumentReader } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { bytesOfChange } from '../system/index.ts';
import { type Backup, type BackupJail, createBackup } from './backup.ts';
import { exportFile } from './export.ts';
import { FeedRetention } from './feed-retention.ts';
import { restoreBackup } from './restore.ts';

type MaintenanceHandlers = Required<
  Pick<Handlers<Operations>, 'exportDocuments' | 'createBackup' | 'createBackupByQuery' | 'restoreBackup'>
>;

interface MaintenanceDependencies {
  readonly documents: { readonly reader: Pick<DocumentReader, 'documents'> };
  /**
   * Called in this order, one after the other, when a restore has replaced the database's content, and again if it is
   * undone: caches must be reloaded. One that rejects undoes the restore.
   */
  readonly onRestored: readonly (() => Promise<void>)[];
}

/** Export, backup and restore (contract section 4, "Export, backup, maintenance"). */
export interface Maintenance {
  readonly handlers: MaintenanceHandlers;
  /** The implementation of the operation `createBackup`, for the service itself. */
  readonly makeBackup: (to: string) => Promise<Backup>;
  /** On a follower, removes old changes: they are its own, and end when its indexes have read them. */
  start(): Promise<void>;
  /** Removes what interrupted backups and restores have left, and old changes. Not for servers that only read. */
  work(): void;
  stop(): Promise<void>;
}

export function createMaintenance(environment: DocsEnvironment,
  { documents, onRestored }: MaintenanceDependencies): Maintenance
{
  const { sql, settings } = environment;
  const jail: BackupJail = { dir: settings.backupDir, databasePath: sql.info.path };
  const exclusively = oneAtATime();
  const retention = settings.feed &&
    new FeedRetention({ ...environment, limits: settings.feed, bytesOfChange: () => bytesOfChange(sql) });
  const reload = async (): Promise<void> => {
    for (const hook of onRestored) await hook();
  };
  const backUp = ({ to }: { to?: string }, by?: Standing) => exclusively(() => createBackup(environment, jail, to, by));
  return {
    makeBackup: (to) => backUp({ to }),
    async start() {
      if (environment.replication?.role === 'follower') retention?.loop.start();
    },
    work() {
      retention?.loop.start();
      void removeLeftovers(jail.dir, environment);
    },
    stop: async () => retention?.loop.stop(),
    handlers: {
      exportDocuments: async ({ collection, filterMeta, filter, langs, format, includeVectors }) =>
        exportFile(collection, format,
          documents.reader.documents(collection, filterMeta, { filter, langs, includeVectors })),
      createBackup: backUp,
      createBackupByQuery: backUp,
      restoreBackup: ({ from }, context) =>
        exclusively(async () => {
          await restoreBackup(environment, jail, from, { reload, by: context });
          return { restored: from };
        }),
    },
  };
}

/** Backups and restores copy the whole database; a concurrent one is refused, not queued. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let running = false;
  return async (work) => {
    if (running)
      throw new ServiceError('busy', 'a backup or a restore is running', { headers: { 'Retry-After': '5' } });
    running = true;
    try {
      return await work();
    } finally {
      running = false;
    }
  };
}

/**
 * Files of a backup or a restore before it has ended: copies of the whole database. The content before a restore
 * (`pre-restore-….db`) is not among them, because it may be the only copy.
 */
const UNFINISHED =
  /(?:\.[0-9a-f]{12}\.tmp(?:-journal)?|^restore-\d+-[0-9a-f]{8}\.tmp(?:\.work(?:-wal|-shm|-journal|\.lock)?)?)$/;

/** Another process may be writing to the same folder. */
const OLD_MS = 86_400_000;

/** Removes what backups and restores have left that a crash interrupted a day ago or earlier. Never rejects. */
export async function removeLeftovers(dir: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log }): Promise<void>
{
  try {
    const names = (await readdir(dir).catch(() => [])).filter((name) => UNFINISHED.test(name));
    for (const name of names) {
      const { mtimeMs } = await stat(join(dir, name));
      if (mtimeMs > clock.now() - OLD_MS) continue;
      await rm(join(dir, name), { force: true });
      log.info({ file: name }, 'a file that an interrupted backup or restore has left was removed');
    }
  } catch (error) {
    log.warn({ err: error }, 'files that interrupted backups have left could not be removed');
  }
}
