import { type Command, Option } from 'commander';
import { type Client, createClient, createConfig } from '../../../../generated/docs/sdk/client/index.ts';
import { type ClientOptions, connectionOf, DOCS_URL } from './connection.ts';

export type { ClientOptions } from './connection.ts';

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
