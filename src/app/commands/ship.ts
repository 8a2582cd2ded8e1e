import { type Command, InvalidArgumentError, Option } from 'commander';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseByteSize } from '../../lib/byte-size.ts';
import type { UserIdRange } from '../../ship/execute/index.ts';
import { createLog } from '../logging/create-log.ts';
import { sealProcess } from '../secrecy/index.ts';
import type { InstallFlags } from '../ship/install-ship.ts';
import type { JoinFlags } from '../ship/join-ship.ts';
import type { ShipFlags, ShipRun, ShipRunEnd } from '../ship/run-ship.ts';
import { CommandError, runCommand } from './shared/command-error.ts';
import { type Io, processIo, writeLines } from './shared/io.ts';

const DATA_DIR = './data/ship';
const SANDBOXES = ['auto', 'none', 'namespaces', 'bubblewrap', 'systemd', 'container'];

const JOIN_HELP = `
The token comes from POST /api/v1/ships/tokens of the run-queue service and works once. It names
the server's certificate authority: a server with another one never gets to see it. The options
--token-file and QUIRE_JOIN_TOKEN keep it out of the list of processes.

Examples:
  $ quire ship join --server ships.example.org:11032 --name build-01 --token qj1....
  $ QUIRE_JOIN_TOKEN=qj1.... quire ship join --server ships.example.org:11032 --name build-01 --ephemeral
  $ quire ship run
`;

const RUN_HELP = `
The first SIGTERM or Ctrl-C takes no more runs and waits for those under way; a second one gives
them back, with their grace; a third one ends at once.

Steps never run as this program's user with nothing in between: as root each run has a user id of
its own, and else steps are behind a fence. Where neither is possible the ship takes no pipelines,
unless --run-as self or --run-as root says that they may read all that this program may.

Ends with 0 after a drain or the one run of an ephemeral ship, 1 where something could not be
reported, 77 where the server does not know the ship any more, 86 where the program is too old.
`;

const INSTALL_HELP = `
Writes a systemd unit and an account, joins the fleet as that account, and starts the ship. The account
has no rights, so steps run behind a sandbox: install bubblewrap, or allow user namespaces. Run it as root, and
again to change something; --dry-run shows every file and command.

Examples:
  $ QUIRE_JOIN_TOKEN=qj1.... quire ship install --server ships.example.org:11032 --name build-01
  $ quire ship install --dry-run
`;

/** EX_NOPERM of sysexits.h: no permission. */
const EXIT_DENIED = 77;
/** For supervisors that upgrade the program (decisions, section 4). */
const EXIT_OUTDATED = 86;

/** `quire ship`: a worker of the run-queue service on this machine. */
export function registerShip(program: Command, io: Io = processIo): void {
  const ship = program.command('ship').description('be a worker of a run-queue service');
  ship.command('join').description('make this machine a ship of a fleet').requiredOption('--server <host:port>',
    'where to join: fleet.enrol_listen of the service').requiredOption('--name <name>',
      'the name that the token was made for').option('--token <token>',
      'one-time token; better given by a file or QUIRE_JOIN_TOKEN').option('--token-file <file>', 'file with the token')
    .option('--ephemeral', 'take one run, then leave the fleet').option('--capacity <number>', 'runs at once',
      toCapacity, 2).option('--data-dir <folder>', 'folder for the key and for work', DATA_DIR).addHelpText('after',
      JOIN_HELP).action((flags: JoinFlags) => runCommand('ship join', io, () => join(flags, io)));
  ship.command('run').description('connect to the service and work').option('--data-dir <folder>',
    'folder that it joined with', DATA_DIR).option('--capacity <number>', 'runs at once; default: as it joined',
      toCapacity).addOption(
      new Option('--sandbox <sandbox>',
        'how steps are fenced in, where a pipeline does not say; auto is the strongest that works here').choices(
          SANDBOXES,
        ).default('auto'),
    ).addOption(
      new Option('--run-as <who>', "whom steps run as: separate from this program's user, or by name as that user")
        .choices(['separate', 'self', 'root']).default('separate'),
    ).option('--user-ids <first:count>', 'as root: user ids of runs, of no account; default: 70000:4000', toUserIds)
    .option('--hide <path...>', 'files and folders that fenced steps do not see, besides the data folder').option(
      '--work-dir <folder>',
      'folder of the work; default: work in the data folder',
    ).option('--cache-size <size>', 'room for clones of repositories and caches of steps, 0 for none; default: 10GiB',
      toSize).option('--git-protocols <name...>',
      'transports that git may use: https, http, ssh, git, file; default: https http ssh').option('--keep-work',
      'leave the folders of runs behind, to look into them').addOption(
      new Option('--log-format <format>', 'text for people, json for programs').choices(['text', 'json']).default(
        'text',
      ),
    ).addOption(
      new Option('--log-level <level>', 'the least that is written').choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    ).addHelpText('after', RUN_HELP).action((flags: RunFlags) => runCommand('ship run', io, () => run(flags, io)));
  registerInstall(ship, io);
}

function registerInstall(ship: Command, io: Io): void {
  ship.command('install').description('make this machine a ship that systemd runs, as a user of its own').option(
    '--server <host:port>',
    'where to join: fleet.enrol_listen of the service; without it the machine has joined already',
  ).option('--name <name>', 'the name that the token was made for').option('--token-file <file>',
    'file with the join token; QUIRE_JOIN_TOKEN otherwise').option('--user <name>',
      'account of the ship; it is made if it is missing', 'quire-ship').option('--data-dir <folder>',
      'folder for the key and for work', '/var/lib/quire-ship').option('--capacity <number>', 'runs at once',
      toCapacity).addOption(new Option('--sandbox <sandbox>', 'as of quire ship run').choices(SANDBOXES)).option(
      '--cache-size <size>',
      'as of quire ship run',
    ).option('--root <folder>', 'write the files below this folder and start nothing, for an image', '/').option(
      '--dry-run',
      'show what would be done',
    ).addHelpText('after', INSTALL_HELP).action((flags: InstallFlags) =>
      runCommand('ship install', io, () => install(flags, io))
    );
}

async function install(flags: InstallFlags, io: Io): Promise<void> {
  const { carryOut, describePlan, planInstall, requireReadable } = await import('../ship/install-ship.ts');
  if (flags.cacheSize !== undefined) toSize(flags.cacheSize);
  const token = flags.tokenFile === undefined
    ? process.env['QUIRE_JOIN_TOKEN']
    : await readFile(flags.tokenFile, 'utf8').catch((error: Error) => {
      throw new CommandError(`--token-file ${flags.tokenFile}: ${error.message}`);
    });
  const own = { node: process.execPath, script: realpathSync(process.argv[1]!) };
  try {
    const actions = planInstall(flags, own, token !== undefined && token.trim() !== '');
    if (flags.dryRun !== true) {
      requireReadable(own);
      await carryOut(actions, token?.trim());
    }
    writeLines(io.stdout, describePlan(actions));
  } catch (error) {
    throwForUser(error);
  }
}

type RunFlags = ShipFlags & { readonly logFormat: 'text' | 'json';
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' };

function toCapacity(text: string): number {
  const capacity = Number(text);
  if (!/^\d{1,4}$/.test(text) || capacity < 1 || capacity > 1000)
    throw new InvalidArgumentError('expected a number from 1 to 1000');
  return capacity;
}

function toSize(text: string): number {
  const size = text === '0' ? 0 : parseByteSize(text);
  if (size === undefined) throw new InvalidArgumentError('expected a size such as 500MiB or 10GiB, or 0');
  return size;
}

function toUserIds(text: string): UserIdRange {
  const [first, count] = (/^(\d{1,10}):(\d{1,7})$/.exec(text)?.slice(1) ?? []).map(Number);
  if (first === undefined || count === undefined || first < 1000 || count < 1)
    throw new InvalidArgumentError('expected the first id, from 1000 on, and how many: 70000:4000');
  return { first, count };
}

async function join(flags: JoinFlags, io: Io): Promise<void> {
  // Loaded only here, so that other commands start without it.
  const { joinShip } = await import('../ship/join-ship.ts');
  const { shipId, name, labels, fleetAddress } = await joinShip(flags, process.env).catch(throwForUser);
  const folder = flags.dataDir === DATA_DIR ? '' : ` --data-dir ${flags.dataDir}`;
  writeLines(io.stdout, [`joined as ${name} (ship ${shipId})`,
    ...(labels.length > 0 ? [`  labels: ${labels.join(' ')}`] : []), `  server: ${fleetAddress}`,
    `  next:   quire ship run${folder}`]);
}

async function run(flags: RunFlags, io: Io): Promise<void> {
  const { env, problems } = await sealProcess();
  const log = createLog({ format: flags.logFormat, level: flags.logLevel });
  for (const problem of problems) log.warn({}, problem);
  const { runShip } = await import('../ship/run-ship.ts');
  const run = await runShip(flags, env, log).catch(throwForUser);
  log.info({ name: run.identity.name, ship: run.identity.shipId, server: run.identity.fleetAddress }, 'connecting');
  const release = steer(run, io);
  const end = await run.ended;
  release();
  const { exitCode, message } = ENDS[end];
  if (message !== undefined) writeLines(io.stderr, [`quire ship run: ${message}`]);
  io.setExitCode(exitCode);
}

const ENDS: Readonly<Record<ShipRunEnd, { readonly exitCode: number; readonly message?: string }>> = {
  drained: { exitCode: 0 },
  ephemeral: { exitCode: 0 },
  gave_up: { exitCode: 1, message: 'the server could not be notified how the last runs ended; it assigns them again' },
  denied: {
    exitCode: EXIT_DENIED,
    message: 'the server has revoked this ship, and its key is deleted: join again with a new token',
  },
  expired: {
    exitCode: EXIT_DENIED,
    message: 'the certificate has expired before it could be renewed: join again with a new token',
  },
  outdated: { exitCode: EXIT_OUTDATED, message: 'this program is too old for the server: upgrade it' },
};

/** Signals say how much of a hurry there is. */
function steer({ ship }: ShipRun, io: Io): () => void {
  let signals = 0;
  const stop = (): void => {
    signals += 1;
    if (signals === 1) {
      writeLines(io.stderr, [
        ship.running > 0 ? `waiting for ${ship.running} of its runs; once more gives them back` : 'leaving',
      ]);
      ship.drain({ exit: true });
    } else if (signals === 2) ship.stop();
    else process.exit(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  return () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, stop);
  };
}

/** Errors that were written for users are shown as they are; anything else is a bug. */
function throwForUser(error: unknown): never {
  if (error instanceof Error && error.name === 'ShipFailure') throw new CommandError(error.message, { cause: error });
  throw error;
}
