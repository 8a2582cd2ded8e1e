import type { Command } from 'commander';
import { listForges } from '../../../../generated/runs/sdk/sdk.gen.ts';
import { runCommand } from '../shared/command-error.ts';
import type { Io } from '../shared/io.ts';
import { formatMoment, writeJson, writeTable } from '../shared/output.ts';
import { addRunsClientOptions, openRunsClient, type RunsClientOptions } from './client.ts';

interface Options extends RunsClientOptions {
  readonly json?: boolean;
}

const COLUMNS = [{ heading: 'name', minimum: 8 }, { heading: 'kind', minimum: 9 }, { heading: 'state', minimum: 8 }, {
  heading: 'waiting',
  minimum: 7,
}, { heading: 'refused', minimum: 7 }, { heading: 'last sent', minimum: 16 }, { heading: 'last error', minimum: 12 }];

/** `quire runs forges`: how calls to the APIs of forges are doing. */
export function registerForges(runs: Command, io: Io): void {
  const forges = runs.command('forges').description(
    'list the forges, and the statuses and comments that they have not accepted',
  ).option('--json', 'write JSON instead of text');
  addRunsClientOptions(forges).action((options: Options) => runCommand('runs forges', io, () => list(options, io)));
}

async function list(options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const answer = await client.ask(() => listForges({ client: client.sdk }));
  if (options.json) return writeJson(io, answer);
  const rows = answer.data.map((
    { name, kind, state, waiting, refused, last_sent_at: sent, last_error: error },
  ) => [name, kind, state, String(waiting), String(refused), sent === null ? '' : formatMoment(sent), error ?? '']);
  writeTable(io, COLUMNS, rows, 'no forges are configured (forges)');
}
