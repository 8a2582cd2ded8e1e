import type { Command } from 'commander';
import { listSchedules, pauseSchedule, resumeSchedule, runSchedule } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { Schedule } from '../../../../generated/runs/sdk/types.gen.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, writeJson, writeTable } from '../shared/output.ts';
import { addKeyOption, addRunsClientOptions, newKey, openRunsClient, type RunsClientOptions } from './client.ts';
import { showQueued } from './show-log.ts';

interface Options extends RunsClientOptions {
  readonly json?: boolean;
}

interface RunOptions extends Options {
  readonly key?: string;
  readonly follow?: boolean;
}

const COLUMNS = [{ heading: 'project', minimum: 8 }, { heading: 'name', minimum: 8 }, { heading: 'runs', minimum: 8 }, {
  heading: 'when',
  minimum: 12,
}, { heading: 'next run', minimum: 16 }, { heading: 'last run', minimum: 12 }];

/** `quire runs schedules`, and commands for one of them. */
export function registerSchedules(runs: Command, io: Io): void {
  const schedules = runs.command('schedules').description('list schedules; with a command, pause, resume or run one')
    .option('--json', 'write JSON instead of text');
  addRunsClientOptions(schedules).action((options: Options) =>
    runCommand('runs schedules', io, () => list(options, io))
  );
  schedules.command('list').description('list schedules, with their next and last runs').action((_options: object,
    own: Command) => runCommand('runs schedules list', io, () => list(own.optsWithGlobals<Options>(), io))
  );
  const changes = {
    pause: ['queue no runs by a schedule until it is resumed', pauseSchedule],
    resume: ['let a paused schedule go on; what it missed is not made up for', resumeSchedule],
  } as const;
  for (const [name, [description, call]] of Object.entries(changes)) {
    // The client options belong to `schedules` itself, so they may precede or follow the subcommand.
    const command = named(schedules, name, description);
    command.action((project: string, schedule: string, _options: object, own: Command) =>
      runCommand(`runs schedules ${name}`, io, async () => {
        const options = own.optsWithGlobals<Options>();
        const client = openRunsClient(options);
        const { data } = await client.ask(() =>
          call({ client: client.sdk, path: { project_id: project, name: schedule } })
        );
        if (options.json) writeJson(io, data);
        else writeLines(io.stdout, [
            `${project}/${schedule} ${name === 'pause' ? 'is paused' : `goes on; next run: ${nextOf(data)}`}`,
          ]);
      })
    );
  }
  const running = named(schedules, 'run', 'queue the run of a schedule now, and print its id').option('-f, --follow',
    'print the log until the run has ended');
  addKeyOption(running).action((project: string, schedule: string, _options: object, own: Command) =>
    runCommand('runs schedules run', io, () => run(project, schedule, own.optsWithGlobals<RunOptions>(), io))
  );
}

function named(schedules: Command, name: string, description: string): Command {
  return schedules.command(name).description(description).argument('<project>', 'id of the project').argument('<name>',
    'name of the schedule');
}

async function list(options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const answer = await client.ask(() => listSchedules({ client: client.sdk }));
  if (options.json) return writeJson(io, answer);
  const rows = answer.data.map((
    schedule,
  ) => [schedule.project_id, schedule.name, `${schedule.kind} ${schedule.task}`.trim(), whenOf(schedule),
    nextOf(schedule), lastOf(schedule)]
  );
  writeTable(io, COLUMNS, rows, 'no schedules are configured');
}

async function run(project: string, name: string, options: RunOptions, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const headers = { 'Idempotency-Key': options.key ?? newKey() };
  const { data } = await client.ask(() =>
    runSchedule({ client: client.sdk, path: { project_id: project, name }, headers })
  );
  await showQueued(client, data, options, io);
}

const whenOf = (
  { cron, timezone, interval }: Schedule,
): string => (cron === null ? `every ${interval}` : `${cron} ${timezone}`);

function nextOf({ next_run_at: next, paused_by: by, active }: Schedule): string {
  if (by !== null) return `paused by ${by}`;
  if (!active) return 'disabled';
  return next === null ? 'never' : formatMoment(next);
}

/** The last run, and why the time after it queued none. */
function lastOf({ last_run: last, last_skip: skip }: Schedule): string {
  const shown = last === null ? [] : [`${last.state} ${formatMoment(last.created_at)}`];
  return [...shown, ...(skip === null ? [] : [`none ${formatMoment(skip.at)}: ${skip.reason}`])].join('; ');
}
