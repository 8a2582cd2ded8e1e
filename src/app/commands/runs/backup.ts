import { type Command, Option } from 'commander';
import { systemClock } from '../../../lib/clock.ts';
import { ConfigError } from '../../../lib/setting-values.ts';
import type { Places, Restored, Unfinished } from '../../../runs/backup/index.ts';
import { BUILD_VERSION } from '../../specification.ts';
import { registerStoreCopy } from '../migrate-store.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatBytes, formatMoment } from '../shared/output.ts';
import { sourceOf } from './serve.ts';

interface Options {
  readonly config?: string;
  readonly unfinished?: Unfinished;
}

const EXAMPLE =
  '\nThe configuration is that of `quire runs`: --config FILE, or RUNS_CONFIG.\nExample:\n  $ quire runs backup ' +
  'backups/today --config runs.yaml\n  $ quire runs restore backups/today --config runs.yaml --unfinished fail';

/**
 * `quire runs backup` and `quire runs restore`: they run on the machine of the service, with its `--config`; backup
 * beside the running service, restore while it is stopped.
 */
export function registerBackup(runs: Command, io: Io): void {
  const backing = runs.command('backup').description(
    'write the queue and its certificate authority into a new folder, while the service runs',
  ).argument('<folder>', 'folder that must not exist').addHelpText('after', EXAMPLE).action((folder: string) =>
    runCommand('runs backup', io, () => backUp(folder, backing.optsWithGlobals(), io))
  );
  const restoring = runs.command('restore').description(
    'put a backup in the place of the queue, while the service is stopped; what was there is kept aside',
  ).argument('<folder>', 'folder that `quire runs backup` wrote').addOption(
    new Option('--unfinished <what>', 'what becomes of runs that had not ended when the backup was made').choices([
      'queue',
      'fail',
    ]),
  ).addHelpText('after', EXAMPLE).action((folder: string) =>
    runCommand('runs restore', io, () => restore(folder, restoring.optsWithGlobals(), io))
  );
}

async function backUp(folder: string, options: Options, io: Io): Promise<void> {
  const { backUp: write } = await import('../../../runs/backup/index.ts');
  const made = await forUser(async () =>
    write(await placesOf(options), folder, { clock: systemClock, version: BUILD_VERSION })
  );
  writeLines(io.stdout, [`${made.folder}: ${formatBytes(made.bytes)}, read back and found whole`]);
  const about = made.hasAuthority
    ? 'It holds the key by which ships trust this service: keep it as secret as that.'
    : 'It has no certificate authority, since no ship was ever asked to join.';
  writeLines(io.stderr, [about]);
}

async function restore(folder: string, options: Options, io: Io): Promise<void> {
  const { restore: put } = await import('../../../runs/backup/index.ts');
  const restored = await forUser(async () =>
    put(await placesOf(options), folder, { clock: systemClock, unfinished: options.unfinished })
  );
  writeLines(io.stdout, [`the queue is that of ${formatMoment(restored.madeAt)} again`]);
  writeLines(io.stderr, notesOn(restored, options.unfinished));
}

function notesOn({ unfinished: { queued, held }, keptAside }: Restored, unfinished: Unfinished | undefined): string[] {
  const settled = queued + held === 0 ? [] : [
    `${queued} queued and ${held} running runs of the backup ${
      unfinished === 'queue' ? 'are queued again' : 'have failed; retry those that must run'
    }`,
  ];
  const aside = keptAside.map((path) => `what was there is kept as ${path}; delete it when it is not needed`);
  return [...settled, ...aside, 'start the service; ships come back by themselves'];
}

async function placesOf({ config }: Options): Promise<Places> {
  const [{ placesOf: places }, { loadRunsConfig }] = await Promise.all([import('../../../runs/backup/index.ts'),
    import('../../../runs/config/index.ts')]);
  const loaded = await loadRunsConfig({ ...sourceOf(config, process.env), env: process.env, tokens: false });
  if (loaded.config.storage.driver === 'postgres')
    throw new CommandError(
      'storage.driver: a queue in PostgreSQL is backed up with pg_dump and restored with pg_restore; copy ' +
        'fleet.ca_dir beside it',
    );
  const found = places(loaded.config);
  if (found === undefined)
    throw new CommandError(
      'storage.sqlite.path: the queue is in memory, so there is nothing to back up and nowhere to restore it',
    );
  return found;
}

async function forUser<T>(work: () => Promise<T>): Promise<T> {
  const { BackupError } = await import('../../../runs/backup/index.ts');
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError || error instanceof ConfigError)
      throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

/** `quire runs migrate-store`: copies a queue between SQLite and PostgreSQL. */
export function registerMigrateStore(runs: Command, io: Io): void {
  registerStoreCopy(runs, io, {
    command: 'runs migrate-store',
    description: 'copy a queue from SQLite to PostgreSQL or back, while no server runs',
    file: 'data/runs/runs.db',
    next: 'set storage.driver, and start the servers',
    migrations: async () => (await import('../../../storage/index.ts')).RUN_QUEUE_MIGRATIONS,
  });
}
