import type { Command } from 'commander';
import { systemClock, systemTimer } from '../../../lib/clock.ts';
import { endings } from '../import/register.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { addClientOptions, type ClientOptions, openClient } from '../shared/client.ts';
import { runCommand } from '../shared/command-error.ts';
import { untilInterrupted } from '../shared/interrupt.ts';
import { type Io, processIo } from '../shared/io.ts';
import { runSync, type RunSyncArguments } from './run-sync.ts';

const EXAMPLES = `
Stores the files of FOLDER that are new or have changed, under their paths as keys, as
\`quire import\` does. Checksums say which have changed, kept as metadata
\`sync_checksum\`. With --prune, documents of the collection without a file are deleted:
all of them, whoever has stored them.

Examples:
  $ quire sync docs/ --collection handbook --dry-run
  $ quire sync docs/ --collection handbook --prune
  $ quire sync docs/ --collection handbook --prune --watch
`;

/** Adds `quire sync` to the program. */
export function registerSync(program: Command, io: Io = processIo): void {
  const command = program.command('sync').summary('make a collection equal to a folder of files').description(
    'Make a collection of a running document service equal to a folder of files.',
  ).argument('<folder>', 'folder of files').requiredOption('-c, --collection <name>', 'collection to synchronise')
    .option('-l, --lang <code>', 'language of files that name none', 'en').option('--only <endings>',
      'kinds of files to take, such as md,pdf', endings).option('--prune', 'delete documents that have no file').option(
      '--watch',
      'go on, and synchronise whenever the folder changes',
    ).option('--concurrency <n>', 'requests under way at once', wholeNumber(1, 64), 4).option('--dry-run',
      'say what would be done, and do nothing').option('-q, --quiet', 'show errors only');
  addClientOptions(command).addHelpText('after', EXAMPLES).action(
    async (folder: string, options: Omit<RunSyncArguments, 'folder'> & ClientOptions) => {
      await runCommand('sync', io, () =>
        untilInterrupted(async (signal) =>
          runSync({ ...options, folder }, {
            io,
            signal,
            clock: systemClock,
            timer: systemTimer,
            client: openClient(options),
          })
        ));
    },
  );
}
