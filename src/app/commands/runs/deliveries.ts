import type { Command } from 'commander';
import { getForgeDelivery, listForgeDeliveries, redeliverForgeEvent } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { ForgeDelivery } from '../../../../generated/runs/sdk/types.gen.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, writeJson, writeTable } from '../shared/output.ts';
import { addRunsClientOptions, listed, openRunsClient, type RunsClientOptions } from './client.ts';

interface Options extends RunsClientOptions {
  readonly json?: boolean;
}

interface ListOptions extends Options {
  readonly project?: string;
}

const COLUMNS = [{ heading: 'received', minimum: 16 }, { heading: 'forge', minimum: 6 }, {
  heading: 'repository',
  minimum: 10,
}, { heading: 'event', minimum: 8 }, { heading: 'author', minimum: 6 }, { heading: 'state', minimum: 7 }, {
  heading: 'what came of it',
  minimum: 16,
}, { heading: 'delivery', minimum: 32 }];

/** `quire runs deliveries`: events of forges. */
export function registerDeliveries(runs: Command, io: Io): void {
  const deliveries = runs.command('deliveries').description('events that forges have sent, and the runs they started')
    .option('--json', 'write JSON instead of text');
  addRunsClientOptions(deliveries);
  deliveries.command('list', { isDefault: true }).description('list them, newest first').option('--project <id>',
    'only those about the repository of this project').action((_options: object, own: Command) =>
      runCommand('runs deliveries list', io, () => list(own.optsWithGlobals<ListOptions>(), io))
    );
  deliveries.command('show').description('show one').argument('<id>', 'id of the delivery').action((id: string,
    _options: object, own: Command) =>
    runCommand('runs deliveries show', io, async () => {
      const options = own.optsWithGlobals<Options>();
      const client = openRunsClient(options);
      write((await client.ask(() => getForgeDelivery({ client: client.sdk, path: { id } }))).data, options, io);
    })
  );
  deliveries.command('redeliver').description('process one again, as if it had just arrived').argument('<id>',
    'id of the delivery').action((id: string, _options: object, own: Command) =>
      runCommand('runs deliveries redeliver', io, async () => {
        const options = own.optsWithGlobals<Options>();
        const client = openRunsClient(options);
        write((await client.askOnce(redeliverForgeEvent({ client: client.sdk, path: { id } }))).data, options, io);
      })
    );
}

async function list(options: ListOptions, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const { items } = await listed((query) =>
    client.ask(() => listForgeDeliveries({ client: client.sdk, query: { ...query, project_id: options.project } }))
  );
  if (options.json) return writeJson(io, items);
  const rows = items.map((
    each,
  ) => [formatMoment(each.received_at), each.forge || 'poll', each.repository, `${each.event} ${each.action}`.trim(),
    each.author, each.state, outcomeOf(each), each.id]
  );
  writeTable(io, COLUMNS, rows, 'no events of forges were received (forges, projects[].poll)');
}

function outcomeOf({ runs, skipped, reason }: ForgeDelivery): string {
  if (reason !== null) return reason;
  return [...runs.map(({ pipeline, run_id: id }) => `${pipeline} ${id}`), ...skipped.map(notStarted)].join(', ');
}

/** Such as `deploy: is for tag, not for push`; a fault of a file names it already. */
function notStarted({ pipeline, reason }: ForgeDelivery['skipped'][number]): string {
  return reason.startsWith(pipeline) ? reason : `${pipeline}: ${reason}`;
}

function write(delivery: ForgeDelivery, { json }: Options, io: Io): void {
  if (json) return writeJson(io, delivery);
  const { id, forge, repository, event, action, ref, commit, title, author, state, reason, runs, skipped } = delivery;
  writeLines(io.stdout, [
    `${id} ${state}${reason === null ? '' : `: ${reason}`}`,
    `${forge || 'poll'} ${repository} ${event} ${action} ${ref} ${commit}`.trim(),
    `${title} ${author === '' ? '' : `(${author})`}`.trim(),
    ...runs.map(({ project_id: project, pipeline, run_id: run }) => `run ${run} ${project} ${pipeline}`),
    ...skipped.map((each) => `skipped ${each.project_id} ${notStarted(each)}`),
  ]);
}
