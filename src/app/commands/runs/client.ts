import { randomUUID } from 'node:crypto';
import { Option, type Command } from 'commander';
import { createClient, createConfig, type Client } from '../../../../generated/runs/sdk/client/index.ts';
import { systemTimer } from '../../../lib/timer.ts';
import { CommandError } from '../shared/command-error.ts';
import { START_RUNS } from '../shared/program.ts';
import { DEFAULT_RETRIES, withRetries } from '../shared/retry.ts';
import { answered, type Advice, type SdkAnswer } from '../shared/service-failure.ts';

const ADVICE: Advice = { start: START_RUNS, credential: 'give the token with --token or RUNS_API_TOKEN' };

/** How to reach the run-queue service: the options that all its client commands share. */
export interface RunsClientOptions {
  readonly url: string;
  readonly token?: string;
}

export interface RunsClient {
  /** What the functions of the generated SDK take as `client`. */
  readonly sdk: Client;
  /** The answer to a call that is safe to repeat; repeats it while the service is away. */
  ask<T>(call: () => Promise<SdkAnswer<T>>, signal?: AbortSignal): Promise<T>;
  /** The answer to a call that may not be repeated. */
  askOnce<T>(call: Promise<SdkAnswer<T>>): Promise<T>;
}

export function addRunsClientOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'address of the run-queue service').env('RUNS_URL').default('http://localhost:11030'))
    .addOption(new Option('--token <token>', 'API token; better given by the environment, where other users cannot see it').env('RUNS_API_TOKEN'));
}

/**
 * A client of the service. Connects to nothing yet.
 * @throws {CommandError} when the address is not an `http` or `https` URL.
 */
export function openRunsClient({ url, token }: RunsClientOptions): RunsClient {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new CommandError(`--url ${url}: expected an address such as http://localhost:11030`);
  const baseUrl = url.replace(/\/+$/, '');
  // While two tokens are valid, the variable holds both.
  const auth = (): string | undefined => token?.trim().split(/\s+/)[0];
  const askOnce: RunsClient['askOnce'] = async (call) => (await answered(baseUrl, call, ADVICE)).data;
  return {
    sdk: createClient(createConfig({ baseUrl, auth })),
    askOnce,
    ask: (call, signal) => withRetries(() => askOnce(call()), { ...DEFAULT_RETRIES, timer: systemTimer, ...(signal && { signal }) }),
  };
}

/** A key for one request, which its repetitions use as well. */
export const newKey = (): string => randomUUID();

/** `--key`, for whoever wants a request to be the same one tomorrow. */
export function addKeyOption(command: Command): Command {
  return command.option('--key <key>', 'idempotency key, 8 to 128 characters: the same key returns the same run; without it a new one is made');
}
