import type { Command } from 'commander';
import { drainShip, listShips, revokeShip, undrainShip } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { Ship } from '../../../../generated/runs/sdk/types.gen.ts';
import { runCommand } from '../shared/command-error.ts';
import { formatMoment } from '../shared/format.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { renderTable } from '../shared/table.ts';
import { addRunsClientOptions, openRunsClient, type RunsClient, type RunsClientOptions } from './client.ts';
import { findShip } from './find.ts';

interface Options extends RunsClientOptions {
  readonly json?: boolean;
}

const COLUMNS = [{ heading: 'name', minimum: 6 }, { heading: 'state', minimum: 8 }, { heading: 'runs', minimum: 4 }, {
  heading: 'labels',
  minimum: 12,
}, { heading: 'version', minimum: 7 }, { heading: 'last seen', minimum: 16 }, { heading: 'id', minimum: 8 }];

/** `quire runs ships`, and commands for one of them. */
export function registerShips(runs: Command, io: Io): void {
  const listing = runs.command('ships').description('list ships, and what they are doing').option('--json',
    'write JSON instead of a table');
  addRunsClientOptions(listing).action((options: Options) => runCommand('runs ships', io, () => list(options, io)));
  const changes = {
    drain: ['let a ship finish what it has, take no more runs and end; it stays drained until undrain', drainShip],
    undrain: ['let a drained ship work again', undrainShip],
    revoke: ['revoke a ship permanently, and take its runs away', revokeShip],
  } as const;
  for (const [name, [description, call]] of Object.entries(changes)) {
    const command = runs.command(name).description(description).argument('<ship>',
      'name of the ship, or its id or the beginning of it').option('--json', 'write the ship as JSON');
    addRunsClientOptions(command).action((ship: string, options: Options) =>
      runCommand(`runs ${name}`, io, () => change(ship, call, options, io))
    );
  }
}

async function list(options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const answer = await client.ask(() => listShips({ client: client.sdk }));
  if (options.json) return void io.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  const { local, data, enabled } = answer;
  const rows = data.map((
    ship,
  ) => [ship.name, stateOf(ship), `${ship.running}/${ship.capacity}`,
    ship.labels.filter((label) => !label.startsWith('ship=')).join(' '), ship.version,
    ship.last_seen_at === null ? 'never' : formatMoment(ship.last_seen_at), ship.id]
  );
  const own = local.enabled
    ? [['local', 'online', `${local.running}/${local.capacity}`, local.labels.filter((label) =>
      !label.startsWith('ship=')
    ).join(' '), '', '', 'in the service']]
    : [];
  if (rows.length + own.length > 0)
    writeLines(io.stdout, renderTable(COLUMNS, [...own, ...rows], io.stdout.isTTY ? io.stdout.columns : undefined));
  if (!enabled) writeLines(io.stderr, ['ships of other machines cannot connect: fleet.enabled is false']);
}

async function change(text: string,
  call: (options: { client: RunsClient['sdk']; path: { id: string } }) => ReturnType<typeof drainShip>,
  options: Options, io: Io): Promise<void>
{
  const client = openRunsClient(options);
  const { id } = await findShip(client, text);
  const { data: ship } = await client.ask(() => call({ client: client.sdk, path: { id } }));
  if (options.json) io.stdout.write(`${JSON.stringify(ship, null, 2)}\n`);
  else writeLines(io.stdout, [`${ship.name} is ${stateOf(ship)}, with ${ship.running} of its runs under way`]);
}

function stateOf({ revoked, online, draining }: Ship): string {
  if (revoked) return 'revoked';
  return `${online ? 'online' : 'offline'}${draining ? ', draining' : ''}`;
}
