import { type Command, Option } from 'commander';
import { type Client, createClient, createConfig } from '../../../../generated/docs/sdk/client/index.ts';
import { systemClock, unixSeconds } from '../../../lib/clock.ts';
import { CommandError, UsageError } from './command-error.ts';
import { PROGRAM } from './io.ts';
import { type Profile, profileNamed, type Profiles, readProfiles } from './profiles.ts';

/** The options for reaching the document service. */
export interface ClientOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly token?: string;
  /** Name of a profile. */
  readonly serverProfile?: string;
}

/** The address of a service and the credential for it. */
interface Connection {
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly token?: string | undefined;
  /** Name of the profile in use. */
  readonly profile?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const DOCS_URL = 'http://localhost:11023';

/**
 * Options override the environment, which overrides the profile; but a profile that an option names overrides the
 * environment. The credential of a profile is sent only to the server of that profile.
 * @throws {CommandError} if the address is not an `http` or `https` URL, or the profile is unknown, or its sign-in has
 * expired.
 */
export function connectionOf(options: ClientOptions, env: Environment = process.env,
  now = unixSeconds(systemClock)): Connection
{
  const { name, profile } = chosenProfile(options.serverProfile, env);
  const isNamed = options.serverProfile !== undefined;
  const fromEnvironment = isNamed ? {} : env;
  const url = withoutSlash(options.url ?? (fromEnvironment['QUIRE_URL'] || profile.url || DOCS_URL));
  checkUrl(url, options.url === undefined ? (fromEnvironment['QUIRE_URL'] ? 'QUIRE_URL' : `profile ${name}`) : '--url',
    DOCS_URL);
  const own = { apiKey: options.apiKey, token: options.token };
  const given = {
    apiKey: fromEnvironment['QUIRE_API_KEY'] || undefined,
    token: fromEnvironment['QUIRE_TOKEN'] || undefined,
  };
  for (const credential of [own, given])
    if (credential.apiKey !== undefined || credential.token !== undefined) return { url, ...credential };
  if (name === undefined || withoutSlash(profile.url ?? '') !== url) return { url };
  if (profile.apiKey === undefined && profile.token !== undefined && (profile.expiresAt ?? Infinity) <= now) {
    throw new CommandError(
      `the sign-in of profile ${name} has ended: sign in again with \`${PROGRAM} login ${url} --profile ${name}\`; ` +
        '--keep makes one that lasts',
    );
  }
  return {
    url,
    apiKey: profile.apiKey,
    token: profile.apiKey === undefined ? profile.token : undefined,
    profile: name,
  };
}

/** The profile that the option, the environment or the last `quire login` names. */
export function chosenProfile(option: string | undefined, env: Environment = process.env,
  all: Profiles = readProfiles(env)): { readonly name?: string; readonly profile: Profile }
{
  const name = option ?? (env['QUIRE_PROFILE'] || undefined);
  if (name !== undefined) return { name, profile: profileNamed(name, all) };
  const current = all.current === undefined ? undefined : all.profiles[all.current];
  return current === undefined ? { profile: {} } : { name: all.current!, profile: current };
}

/** @throws {UsageError} */
export function checkUrl(url: string, source: string, example: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`${source} ${url}: expected an address such as ${example}`);
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

export interface ServiceClient {
  /** The address, for messages. */
  readonly url: string;
  /** The value that the functions of the generated SDK accept as `client`. */
  readonly sdk: Client;
}

/** `--profile NAME`, distinct from the ingest profiles for which some commands use the same name. */
export class ProfileOption extends Option {
  constructor() {
    super('--profile <name>', 'server to talk to, of those that `quire login` knows (env: QUIRE_PROFILE)');
  }

  override attributeName(): string {
    return 'serverProfile';
  }
}

/**
 * Adds `--url`, `--api-key`, `--token` and, unless the command has another option of this name, `--profile`; each has
 * its environment variable.
 */
export function addClientOptions(command: Command): Command {
  command.option('--url <url>',
    `address of the document service (env: QUIRE_URL; without it that of the profile, or ${DOCS_URL})`).option(
      '--api-key <key>',
      'API key; better given by QUIRE_API_KEY, where other users cannot see it',
    ).option('--token <token>', 'token of a sign-in; better given by QUIRE_TOKEN');
  return command.options.some(({ long }) => long === '--profile') ? command : command.addOption(new ProfileOption());
}

/**
 * Creates a client of the service. Does not connect yet.
 * @throws {CommandError} if the address is not an `http` or `https` URL, or the profile cannot be used.
 */
export function openClient(options: ClientOptions): ServiceClient {
  const { url, apiKey, token } = connectionOf(options);
  // Of the two schemes that an operation accepts, a key is sent only in `X-API-Key` (contract, section 5).
  const auth = (
    { type }: { type: string },
  ): string | undefined => (type === 'apiKey' ? apiKey : apiKey === undefined ? token : undefined);
  return { url, sdk: createClient(createConfig({ baseUrl: url, auth })) };
}
