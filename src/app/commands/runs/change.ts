import type { Command } from 'commander';
import { approveRun, cancelRun, rejectRun, rerunRun, retryRun } from '../../../../generated/runs/sdk/sdk.gen.ts';
import { runCommand } from '../shared/command-error.ts';
import type { Io } from '../shared/io.ts';
import { addKeyOption, addRunsClientOptions, newKey, openRunsClient, type RunsClientOptions } from './client.ts';
import { findRun } from './find.ts';
import { writeRun } from './present.ts';
import { showQueued } from './show-log.ts';

interface Options extends RunsClientOptions {
  readonly key?: string;
  readonly follow?: boolean;
  readonly failedCells?: boolean;
  readonly newest?: boolean;
  readonly json?: boolean;
}

/** `quire runs cancel`, `retry`, `rerun`, `approve` and `reject`. */
export function registerChange(runs: Command, io: Io): void {
  const cancelling = runs.command('cancel').description('cancel a run').argument('<id>',
    'id of the run, or its beginning or end').option('--json', 'write the run as JSON');
  addRunsClientOptions(cancelling).action(async (id: string, options: Options) => {
    await runCommand('runs cancel', io, () => cancel(id, options, io));
  });

  const retrying = runs.command('retry').description(
    'queue a failed or cancelled run again, as a new run, and print its id',
  ).argument('<id>', 'id of the run, or its beginning or end').option('-f, --follow',
    'print the log until the new run has ended').option('--failed-cells',
      'of a run with a matrix, only the cells that did not succeed').option('--json', 'write the new run as JSON');
  addRunsClientOptions(addKeyOption(retrying)).action(async (id: string, options: Options) => {
    await runCommand('runs retry', io, () => retry(id, options, io));
  });

  const rerunning = runs.command('rerun').description(
    'run an ended run again, whatever became of it, as a new run, and print its id',
  ).argument('<id>', 'id of the run, or its beginning or end').option('-f, --follow',
    'print the log until the new run has ended').option('--newest',
      'on the newest commit of its ref, instead of the same one').option('--json', 'write the new run as JSON');
  addRunsClientOptions(addKeyOption(rerunning)).action(async (id: string, options: Options) => {
    await runCommand('runs rerun', io, () => rerun(id, options, io));
  });

  const decisions = {
    approve: ['let a run start, or go on, that waits for an approval', approveRun],
    reject: ['cancel a run that waits for an approval', rejectRun],
  } as const;
  for (const [name, [description, call]] of Object.entries(decisions)) {
    const command = runs.command(name).description(description).argument('<id>',
      'id of the run, or its beginning or end').option('--json', 'write the run as JSON');
    addRunsClientOptions(command).action((text: string, options: Options) =>
      runCommand(`runs ${name}`, io, async () => {
        const client = openRunsClient(options);
        const id = await findRun(client, text);
        const { data: run } = await client.askOnce(call({ client: client.sdk, path: { id } }));
        writeRun(io, run, options.json);
      })
    );
  }
}

/** Sent only once: if the response is lost the change may have been made, and a second request would be a conflict. */
async function cancel(text: string, options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const id = await findRun(client, text);
  const { data: run } = await client.askOnce(cancelRun({ client: client.sdk, path: { id } }));
  writeRun(io, run, options.json);
}

async function retry(text: string, options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const id = await findRun(client, text);
  const headers = { 'Idempotency-Key': options.key ?? newKey() };
  const { data: run } = await client.ask(() =>
    retryRun({ client: client.sdk, path: { id }, headers, query: { cells: options.failedCells ? 'failed' : 'all' } })
  );
  await showQueued(client, run, options, io);
}

async function rerun(text: string, options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const id = await findRun(client, text);
  const headers = { 'Idempotency-Key': options.key ?? newKey() };
  const { data: run } = await client.ask(() =>
    rerunRun({ client: client.sdk, path: { id }, headers, query: { commit: options.newest ? 'newest' : 'same' } })
  );
  await showQueued(client, run, options, io);
}
