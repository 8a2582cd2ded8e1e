import type { Command } from 'commander';
import { wholeNumber } from '../shared/arguments.ts';
import { runCommand } from '../shared/command-error.ts';
import type { Io } from '../shared/io.ts';
import { addRunsClientOptions, openRunsClient, type RunsClientOptions } from './client.ts';
import { findRun } from './find.ts';
import { showLog } from './show-log.ts';

interface Options extends RunsClientOptions {
  readonly follow?: boolean;
  readonly attempt?: number;
  readonly offset: number;
  readonly json?: boolean;
}

const NOTES = `
With --follow the log is printed as it grows, over all attempts that follow, until the run has ended; the status
is 0 when the run succeeded, 1 when it failed, 2 when it was cancelled.

Examples:
  $ quire runs logs 019b45a500007c3e9a41d2f0b6e85713 -f
  $ quire runs logs 019b45a500007c3e9a41d2f0b6e85713 --attempt 1 --json
`;

export function registerLogs(runs: Command, io: Io): void {
  const command = runs.command('logs').description('print the log of a run').argument('<id>',
    'id of the run, or its beginning or end').option('-f, --follow', 'go on until the run has ended').option(
      '--attempt <n>',
      'log of this attempt; without it the current one',
      wholeNumber(1, 1_000_000),
    ).option('--offset <n>', 'first event', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0).option('--json',
      'write one JSON object a line');
  addRunsClientOptions(command).addHelpText('after', NOTES).action(async (id: string, options: Options) => {
    await runCommand('runs logs', io, async () => {
      const client = openRunsClient(options);
      await showLog(client, await findRun(client, id), options, io);
    });
  });
}
