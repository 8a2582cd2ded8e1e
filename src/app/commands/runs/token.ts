import { type Command, InvalidArgumentError, Option } from 'commander';
import { createHash, randomBytes } from 'node:crypto';
import { createJoinToken } from '../../../../generated/runs/sdk/sdk.gen.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { runCommand } from '../shared/command-error.ts';
import { formatMoment } from '../shared/format.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { addRunsClientOptions, openRunsClient, type RunsClientOptions } from './client.ts';

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
  if (json) return void io.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
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
