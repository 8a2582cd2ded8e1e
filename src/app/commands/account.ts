import { type Command, Option } from 'commander';
import { hostname } from 'node:os';
import { bytesOf } from './operations/parse-value.ts';
import { CommandError, runCommand, UsageError } from './shared/command-error.ts';
import { checkUrl, chosenProfile, DOCS_URL, ProfileOption, withoutSlash } from './shared/connection.ts';
import { type Io, writeLines } from './shared/io.ts';
import { addOutputOptions, formatMoment, itemsTable, note, type OutputOptions, widthOf,
  writeJson } from './shared/output.ts';
import { checkProfileName, type Profile, profileNamed, profilesFile, readProfiles,
  writeProfiles } from './shared/profiles.ts';
import { ask, askSecret, canAsk } from './shared/prompt.ts';
import { ServiceFailure } from './shared/service-failure.ts';
import { openService } from './shared/service.ts';

interface Options {
  readonly name?: string;
  /** The same options, for their place before the name of the command. */
  readonly serverProfile?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly keyFile?: string;
  readonly keep?: boolean;
  readonly runsUrl?: string;
  readonly runsTokenFile?: string;
}

const EXAMPLES = `
Without an account the profile keeps the address alone. A token of a sign-in ends after a day or so; with --keep, an API key is
made and kept instead of it, until \`quire logout\` deletes it. What is kept lies in profiles.json in the folder quire of
$XDG_CONFIG_HOME (else ~/.config), readable by you alone. The profile that was signed in to last is used from then on.

Examples:
  $ quire login                                             # asks for what it needs
  $ quire login https://docs.example.org --profile work --user alice --keep
  $ quire login https://docs.example.org --profile ci --key-file key.txt
  $ quire login --profile work --runs-url https://runs.example.org --runs-token-file token.txt
`;

/** `quire login`: stores a server and a way to sign in to it. */
export function registerLogin(program: Command, io: Io): void {
  program.command('login').summary('sign in to a server, and remember it').description(
    'Sign in to a document service, and remember its address and the credential as a profile.',
  ).argument('[url]', `address of the service; without it that of the profile, or ${DOCS_URL}`).addOption(
    new NameOption(),
  ).option('--user <name>', 'account to sign in to').option('--password-file <file>',
    'file with the password, or - for standard input (env: QUIRE_PASSWORD)').option('--key-file <file>',
      'file with an API key to use instead of an account, or - for standard input').option('--keep',
      'make an API key and keep it, so that the sign-in does not end').option('--runs-url <url>',
      'address of a run-queue service, for `quire runs`').option('--runs-token-file <file>',
      'file with its API token, or - for standard input').addHelpText('after', EXAMPLES).action((
      url: string | undefined,
      options: Options,
    ) => runCommand('login', io, () => login(url, options, io))
    );
}

/** The profile need not exist yet, so the choices are not limited to existing ones. */
class NameOption extends Option {
  constructor() {
    super('--profile <name>', 'name to remember it by; without it the present profile, or "default"');
  }

  override attributeName(): string {
    return 'name';
  }
}

async function login(given: string | undefined, options: Options, io: Io): Promise<void> {
  const all = readProfiles();
  const name = checkProfileName(
    options.name ?? options.serverProfile ?? chosenProfile(undefined, process.env, all).name ?? 'default',
  );
  const before = all.profiles[name] ?? {};
  const url = withoutSlash(given ?? before.url ?? DOCS_URL);
  checkUrl(url, 'the address', DOCS_URL);
  const runs = await runsOf(options, io);
  // If only a run queue is given, the profile keeps its settings for the document service.
  const isRunsAlone = given === undefined && Object.keys(runs).length > 0 && options.user === undefined &&
    options.keyFile === undefined;
  const docs = isRunsAlone ? before : { url, ...await credentialOf(url, options, before, io) };
  const { runsUrl, runsToken } = before;
  const profile: Profile = {
    ...(runsUrl !== undefined && { runsUrl }),
    ...(runsToken !== undefined && { runsToken }),
    ...docs,
    ...runs,
  };
  writeProfiles({ current: name, profiles: { ...all.profiles, [name]: profile } });
  writeLines(io.stdout, [`profile ${name}: ${describe(profile)}`]);
  writeLines(io.stderr, [`kept in ${profilesFile()}`]);
}

/** @throws {UsageError} if something is missing and there is no terminal to ask for it. */
async function credentialOf(url: string, options: Options, before: Profile, io: Io): Promise<Profile> {
  if (options.keyFile !== undefined) {
    const apiKey = await secretIn(options.keyFile, '--key-file', io);
    const service = openService({ url, apiKey });
    await service.call('getStats');
    return { apiKey };
  }
  const open = openService({ url, apiKey: '' });
  if (options.user === undefined && !await needsAccount(url)) return {};
  if (options.user === undefined && !canAsk(io))
    throw new UsageError('this service has accounts: name one with --user, or give a key with --key-file');
  const username = options.user ??
    ((await ask(io, `user${before.username === undefined ? '' : ` [${before.username}]`}: `)).trim() ||
      before.username || '');
  const password = await passwordOf(options, io);
  const { token, expiresAt } = await open.call('login', { username, password });
  if (options.keep !== true) return { username, token, expiresAt };
  const { key, keyHash } = await openService({ url, token }).call('createApiKey', {
    description: `quire login on ${hostname()}`,
  });
  return { username, apiKey: key, keyHash };
}

/** A service without accounts lets every client read its statistics. */
async function needsAccount(url: string): Promise<boolean> {
  try {
    await openService({ url, apiKey: '' }).call('getStats');
    return false;
  } catch (error) {
    if ((error as { status?: number }).status === 401) return true;
    throw error;
  }
}

async function passwordOf({ passwordFile }: Options, io: Io): Promise<string> {
  if (passwordFile !== undefined) return secretIn(passwordFile, '--password-file', io);
  const fromEnvironment = process.env['QUIRE_PASSWORD'];
  if (fromEnvironment) return fromEnvironment;
  if (!canAsk(io))
    throw new UsageError('the password is needed: --password-file FILE reads it from a file, - from standard input');
  return askSecret(io, 'password: ');
}

async function runsOf({ runsUrl, runsTokenFile }: Options, io: Io): Promise<Profile> {
  if (runsUrl !== undefined) checkUrl(runsUrl, '--runs-url', 'http://localhost:11030');
  return {
    ...(runsUrl !== undefined && { runsUrl: withoutSlash(runsUrl) }),
    ...(runsTokenFile !== undefined && { runsToken: await secretIn(runsTokenFile, '--runs-token-file', io) }),
  };
}

/** Returns the only line of a file. */
const secretIn = async (file: string, option: string, io: Io): Promise<string> =>
  (await bytesOf(file, option, io.stdin)).toString('utf8').replace(/\r?\n$/, '');

/** A profile as one line, without its secrets. */
export function describe({ url, username, token, apiKey, expiresAt, runsUrl }: Profile): string {
  const who = username === undefined ? '' : ` as ${username}`;
  const how = apiKey !== undefined
    ? ' with an API key'
    : token !== undefined
    ? `, signed in until ${formatMoment(expiresAt ?? 0)}`
    : '';
  return [...(url === undefined ? [] : [`${url}${who}${how}`]),
    ...(runsUrl === undefined ? [] : [`run queue ${runsUrl}`])].join('; ');
}

/** `quire logout`: deletes a profile, and ends what it had on the server. */
export function registerLogout(program: Command, io: Io): void {
  program.command('logout').summary('forget a server and its credential').description(
    'Forget a profile. Its session ends on the server, and the API key that `quire login --keep` made is deleted ' +
      'there.',
  ).addOption(new ProfileOption()).action((options: { readonly serverProfile?: string }) =>
    runCommand('logout', io, () => logout(options.serverProfile, io))
  );
}

async function logout(option: string | undefined, io: Io): Promise<void> {
  const all = readProfiles();
  const { name, profile } = chosenProfile(option, process.env, all);
  if (name === undefined) throw new CommandError('you are not signed in');
  try {
    await end(profile);
  } catch (error) {
    // The profile is deleted in any case; the key can still be deleted by its hash, and the session ends by itself.
    if (!(error instanceof ServiceFailure)) throw error;
    const what = profile.keyHash === undefined
      ? 'the session could not be ended'
      : `the API key could not be deleted, its hash is ${profile.keyHash}`;
    if (![401, 404].includes(error.status ?? 0)) writeLines(io.stderr, [`${what}: ${error.message}`]);
  }
  const { [name]: _gone, ...profiles } = all.profiles;
  writeProfiles({ profiles, ...(all.current !== undefined && all.current !== name && { current: all.current }) });
  writeLines(io.stdout, [`forgot profile ${name}`]);
}

/** Ends the session, or deletes the key that `quire login --keep` made; a key that the user has given stays valid. */
async function end({ url, keyHash, apiKey, token }: Profile): Promise<void> {
  if (keyHash !== undefined)
    await openService({ url: url!, apiKey: apiKey! }, { retries: 0 }).call('deleteApiKey', { keyHash });
  else if (token !== undefined) await openService({ url: url!, token }, { retries: 0 }).call('logout', {});
}

/** `quire profiles`: the servers that `quire login` stored. */
export function registerProfiles(program: Command, io: Io): void {
  const command = program.command('profiles').summary('list the servers that are remembered, and choose one')
    .description('List the profiles that `quire login` has made; with a name, use that one from now on.').argument(
      '[name]',
      'profile to use from now on',
    );
  addOutputOptions(command).addHelpText('after',
    '\nA single command takes another profile by --profile, or by QUIRE_PROFILE.').action((name: string | undefined,
      options: OutputOptions) =>
      runCommand('profiles', io, async () => (name === undefined ? list(options, io) : use(name, options, io)))
    );
}

function list(options: OutputOptions, io: Io): void {
  const { current, profiles } = readProfiles();
  // Credentials are not shown.
  const rows = Object.entries(profiles).map(([name, { url, username, token, apiKey, expiresAt, runsUrl }]) => ({
    name,
    current: name === current,
    url,
    username,
    credential: apiKey !== undefined ? 'API key' : token !== undefined ? 'token' : undefined,
    expiresAt,
    runsUrl,
  }));
  if (options.json === true) return writeJson(io, rows);
  if (rows.length > 0)
    writeLines(io.stdout,
      itemsTable(['name', 'current', 'url', 'username', 'credential', 'expiresAt', ['runsUrl', 'run queue']], rows,
        widthOf(io.stdout)));
  else note(io, options, ['there are no profiles: make one with `quire login`']);
}

function use(name: string, options: OutputOptions, io: Io): void {
  const all = readProfiles();
  profileNamed(name, all);
  writeProfiles({ ...all, current: name });
  note(io, options, [`profile ${name} is used from now on`]);
}
