import { Option, type Command } from 'commander';
import { createClient, createConfig, type Client } from '../../../../generated/docs/sdk/client/index.ts';
import { CommandError } from './command-error.ts';

/** How to reach the document service: the options that all client commands share. */
export interface ClientOptions {
  readonly url: string;
  readonly apiKey?: string;
}

export interface ServiceClient {
  /** The address, for messages. */
  readonly url: string;
  /** What the functions of the generated SDK take as `client`. */
  readonly sdk: Client;
}

/** Adds `--url` and `--api-key` to a command; each has its environment variable. */
export function addClientOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'address of the document service').env('QUIRE_URL').default('http://localhost:11023'))
    .addOption(new Option('--api-key <key>', 'API key; better given by the environment, where other users cannot see it').env('QUIRE_API_KEY'));
}

/**
 * A client of the service. Connects to nothing yet.
 * @throws {CommandError} when the address is not an `http` or `https` URL.
 */
export function openClient({ url, apiKey }: ClientOptions): ServiceClient {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CommandError(`--url ${url}: expected an address such as http://localhost:11023`);
  }
  const baseUrl = url.replace(/\/+$/, '');
  // Of the two schemes that an operation offers, a key goes into `X-API-Key` alone (contract, section 5).
  const auth = ({ type }: { type: string }): string | undefined => (type === 'apiKey' ? apiKey : undefined);
  return { url: baseUrl, sdk: createClient(createConfig({ baseUrl, auth })) };
}
