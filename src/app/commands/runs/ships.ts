import { type Command, InvalidArgumentError, Option } from 'commander';
import { createHash, randomBytes } from 'node:crypto';
import { createJoinToken, drainShip, listShips, revokeShip,
  undrainShip } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { Ship } from '../../../../generated/runs/sdk/types.gen.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, renderTable, widthOf, writeJson } from '../shared/output.ts';
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
  if (options.json) return writeJson(io, answer);
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
    writeLines(io.stdout, renderTable(COLUMNS, [...own, ...rows], widthOf(io.stdout)));
  if (!enabled) writeLines(io.stderr, ['ships of other machines cannot connect: fleet.enabled is false']);
}

async function change(text: string,
  call: (options: { client: RunsClient['sdk']; path: { id: string } }) => ReturnType<typeof drainShip>,
  options: Options, io: Io): Promise<void>
{
  const client = openRunsClient(options);
  const { id } = await findShip(client, text);
  const { data: ship } = await client.ask(() => call({ client: client.sdk, path: { id } }));
  if (options.json) writeJson(io, ship);
  else writeLines(io.stdout, [`${ship.name} is ${stateOf(ship)}, with ${ship.running} of its runs under way`]);
}

function stateOf({ revoked, online, draining }: Ship): string {
  if (revoked) return 'revoked';
  return `${online ? 'online' : 'offline'}${draining ? ', draining' : ''}`;
}

interface ShipOptions extends RunsClientOptions {
  readonly label: readonly string[];
  readonly json?: boolean;
}

interface ApiOptions {
  readonly scope: readonly string[];
  readonly project: readonly string[];
  readonly expires?: number;
}

const SCOPES = ['submit', 'approve', 'read', 'alerts', 'admin'];

/** `quire runs token`: creates the tokens with which ships join and API clients authenticate. */
export function registerToken(runs: Command, io: Io): void {
  const token = runs.command('token').description('make a token for a ship or for a client of the API');
  const ship = token.command('ship').description(
    'make a token with which one ship can join, and print the command to type on its machine',
  ).argument('<name>', 'name of the ship').option('-l, --label <key=value>', 'label of the ship; may be repeated',
    collect, []).option('--json', 'write JSON');
  addRunsClientOptions(ship).action((name: string, options: ShipOptions) =>
    runCommand('runs token ship', io, () => makeShipToken(name, options, io))
  );
  token.command('api').description(
    'make a token of the API on this machine: the token on standard output, its lines for the configuration beside it',
  ).argument('<name>', 'name of the token, as the audit log shows it').addOption(
    new Option('-s, --scope <scopes...>', 'what it may do').choices(SCOPES).makeOptionMandatory(),
  ).option('-p, --project <id>', 'only runs of this project; may be repeated', collect, []).option(
    '--expires <duration>',
    'how long it is valid, such as 90d; without it for ever',
    toMilliseconds,
  ).action((name: string, options: ApiOptions) =>
    runCommand('runs token api', io, async () => makeApiToken(name, options, io))
  );
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value];

function toMilliseconds(text: string): number {
  const value = parseDuration(text);
  if (value === undefined || value <= 0) throw new InvalidArgumentError('Expected a duration such as 90d or 12h.');
  return value;
}

async function makeShipToken(name: string, { label, json, ...options }: ShipOptions, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const { data } = await client.askOnce(createJoinToken({ client: client.sdk, body: { name, labels: [...label] } }));
  if (json) return writeJson(io, data);
  writeLines(io.stdout, [data.command]);
  writeLines(io.stderr, [`works once, until ${formatMoment(data.expires_at)}`]);
}

/** The service stores only the hash of the token, so no request is necessary. */
function makeApiToken(name: string, { scope, project, expires }: ApiOptions, io: Io): void {
  const token = `qrt_${randomBytes(32).toString('base64url')}`;
  const until = expires === undefined ? '' : `${new Date(Date.now() + expires).toISOString().slice(0, 19)}Z`;
  writeLines(io.stdout, [token]);
  writeLines(io.stderr, ['add to the configuration, where only the hash of the token is kept:', 'tokens:',
    `  - name: ${JSON.stringify(name)}`, `    sha256: "${createHash('sha256').update(token).digest('hex')}"`,
    `    scopes: [${[...new Set(scope)].join(', ')}]`,
    ...(project.length === 0 ? [] : [`    projects: [${project.join(', ')}]`]),
    ...(until === '' ? [] : [`    expires: ${until}`])]);
}
