import { type Command, Option } from 'commander';
import { listRuns } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { ListRunsData, ListRunsResponse, Run, RunKind,
  RunState } from '../../../../generated/runs/sdk/types.gen.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { addRunsClientOptions, openRunsClient, type RunsClientOptions } from './client.ts';
import { findRun } from './find.ts';
import { runTable } from './present.ts';

interface Options extends RunsClientOptions {
  readonly project?: string;
  readonly state?: RunState;
  readonly kind?: RunKind;
  readonly source?: Run['source']['type'];
  readonly schedule?: string;
  readonly by?: string;
  readonly cellsOf?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Runs of one response. */
const PAGE = 100;

export function registerList(runs: Command, io: Io): void {
  const command = runs.command('list').description('list runs, newest first').option('-p, --project <id>',
    'only runs of this project').addOption(
      new Option('--state <state>', 'only runs in this state').choices(['queued', 'running', 'cancelling', 'succeeded',
        'failed', 'cancelled']),
    ).addOption(new Option('--kind <kind>', 'only runs of this kind').choices(['diagnostic', 'pipeline', 'ai_text']))
    .addOption(
      new Option('--source <source>', 'only runs that came into being this way').choices(['api', 'retry', 'schedule',
        'alert']),
    ).option('--schedule <name>', 'only runs of this schedule').option('--by <token>',
      'only runs that this token of the configuration has queued; `api` for the token of the service').option(
      '--cells-of <id>',
      'the cells of a run with a matrix; without it they are left out',
    ).option('--limit <n>', 'most runs to list', wholeNumber(1, 100_000), 20).option('--json',
      'write a JSON array instead of a table');
  addRunsClientOptions(command).action(async (options: Options) => {
    await runCommand('runs list', io, () => list(options, io));
  });
}

async function list(options: Options, io: Io): Promise<void> {
  const { runs, more } = await pages(options);
  if (options.json) {
    io.stdout.write(`${JSON.stringify(runs, null, 2)}\n`);
    return;
  }
  if (runs.length > 0) writeLines(io.stdout, runTable(runs, io.stdout.isTTY ? io.stdout.columns : undefined));
  if (runs.length === 0) writeLines(io.stderr, ['no runs match']);
  else if (more) writeLines(io.stderr, [`the newest ${runs.length}; --limit lists more`]);
}

async function pages(
  { project, state, kind, source, schedule, by, cellsOf, limit, ...options }: Options,
): Promise<{ runs: Run[]; more: boolean }> {
  const client = openRunsClient(options);
  const parent = cellsOf === undefined ? undefined : await findRun(client, cellsOf);
  const runs: Run[] = [];
  let before: string | null = null;
  do {
    const query: ListRunsData['query'] = {
      limit: Math.min(PAGE, limit - runs.length),
      ...(project === undefined ? {} : { project_id: project }),
      ...(state === undefined ? {} : { state }),
      ...(kind === undefined ? {} : { kind }),
      ...(source === undefined ? {} : { source }),
      ...(schedule === undefined ? {} : { schedule }),
      ...(by === undefined ? {} : { by: by === 'api' || by.startsWith('token:') ? by : `token:${by}` }),
      ...(parent === undefined ? { cells: false } : { parent_id: parent }),
      ...(before === null ? {} : { before }),
    };
    const page: ListRunsResponse = await client.ask(() => listRuns({ client: client.sdk, query }));
    runs.push(...page.data);
    before = page.next_cursor;
  } while (before !== null && runs.length < limit);
  return { runs, more: before !== null };
}
