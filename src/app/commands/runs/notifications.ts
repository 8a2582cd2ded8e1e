import type { Command } from 'commander';
import { listNotificationDeadLetters, listNotifications,
  redeliverNotifications } from '../../../../generated/runs/sdk/sdk.gen.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, writeJson, writeTable } from '../shared/output.ts';
import { addRunsClientOptions, listed, openRunsClient, type RunsClientOptions } from './client.ts';

interface Options extends RunsClientOptions {
  readonly json?: boolean;
}

const COLUMNS = [{ heading: 'name', minimum: 8 }, { heading: 'host', minimum: 10 }, { heading: 'projects', minimum: 8 },
  { heading: 'states', minimum: 10 }, { heading: 'waiting', minimum: 7 }, { heading: 'given up', minimum: 8 }, {
  heading: 'last error',
  minimum: 12,
}];

const DEAD_COLUMNS = [{ heading: 'webhook', minimum: 8 }, { heading: 'event', minimum: 12 }, {
  heading: 'run',
  minimum: 32,
}, { heading: 'given up', minimum: 16 }, { heading: 'error', minimum: 12 }, { heading: 'delivery', minimum: 28 }];

/** `quire runs notifications`, and commands for notifications that could not be delivered. */
export function registerNotifications(runs: Command, io: Io): void {
  const notifications = runs.command('notifications').description(
    'list the webhooks that receive events of runs; with a command, manage those that failed',
  ).option('--json', 'write JSON instead of text');
  addRunsClientOptions(notifications).action((options: Options) =>
    runCommand('runs notifications', io, () => list(options, io))
  );
  notifications.command('dead').description('list notifications that were given up, newest first').action((
    _options: object,
    own: Command,
  ) => runCommand('runs notifications dead', io, () => listDead(own.optsWithGlobals<Options>(), io)));
  notifications.command('redeliver').description('send what a webhook did not take once more').argument('<webhook>',
    'name of the webhook').argument('[delivery]', 'id of one delivery; all when it is left out').action((name: string,
      delivery: string | undefined, _options: object, own: Command) =>
      runCommand('runs notifications redeliver', io, async () => {
        const client = openRunsClient(own.optsWithGlobals<Options>());
        const body = delivery === undefined ? {} : { delivery_id: delivery };
        const { data } = await client.askOnce(redeliverNotifications({ client: client.sdk, path: { name }, body }));
        writeLines(io.stdout, [
          `${data.queued} ${data.queued === 1 ? 'notification is' : 'notifications are'} sent to ${name} once more`,
        ]);
      })
    );
}

async function list(options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const answer = await client.ask(() => listNotifications({ client: client.sdk }));
  if (options.json) return writeJson(io, answer);
  const rows = answer.data.map((
    { name, host, projects, states, waiting, dead_letters: dead, last_error: error },
  ) => [name, host, projects?.join(' ') ?? 'all', states.join(' '), String(waiting), String(dead), error ?? '']);
  writeTable(io, COLUMNS, rows, 'no webhooks are configured (notifications.webhooks)');
}

async function listDead(options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const { items } = await listed((query) =>
    client.ask(() => listNotificationDeadLetters({ client: client.sdk, query }))
  );
  if (options.json) return writeJson(io, items);
  const rows = items.map((
    { webhook, event, run_id: run, failed_at: at, error, delivery_id: id },
  ) => [webhook, event, run, formatMoment(at), error, id]);
  writeTable(io, DEAD_COLUMNS, rows, 'no notifications were given up');
}
