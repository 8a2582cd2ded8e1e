import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { type Client, createClient, createConfig } from '../../../../generated/runs/sdk/client/index.ts';
import { checkUrl, chosenProfile, ProfileOption, withoutSlash } from '../shared/connection.ts';
import { START_RUNS } from '../shared/io.ts';
import { type Advice, answered, DEFAULT_RETRIES, type SdkAnswer, withRetries } from '../shared/service-failure.ts';

const ADVICE: Advice = { start: START_RUNS, credential: 'give the token with --token or RUNS_API_TOKEN' };

/** How to reach the run-queue service: the options that all its client commands share. */
export interface RunsClientOptions {
  readonly url?: string;
  readonly token?: string;
  readonly serverProfile?: string;
}

const RUNS_URL = 'http://localhost:11030';

export interface RunsClient {
  /** The value that the functions of the generated SDK accept as `client`. */
  readonly sdk: Client;
  /** Makes a call that is safe to repeat, and repeats it while the service is unavailable. */
  ask<T>(call: () => Promise<SdkAnswer<T>>, signal?: AbortSignal): Promise<T>;
  /** Makes a call that must not be repeated. */
  askOnce<T>(call: Promise<SdkAnswer<T>>): Promise<T>;
}

export function addRunsClientOptions(command: Command): Command {
  return command.option('--url <url>',
    `address of the run-queue service (env: RUNS_URL; without it that of the profile, or ${RUNS_URL})`).option(
      '--token <token>',
      'API token; better given by RUNS_API_TOKEN, where other users cannot see it',
    ).addOption(new ProfileOption());
}

/**
 * Creates a client of the service. Does not connect yet.
 * @throws {CommandError} if the address is not an `http` or `https` URL, or the profile is unknown.
 */
export function openRunsClient(options: RunsClientOptions): RunsClient {
  const { url, token } = runsConnectionOf(options);
  // While two tokens are valid, the variable contains both.
  const auth = (): string | undefined => token?.trim().split(/\s+/)[0];
  const askOnce: RunsClient['askOnce'] = async (call) => (await answered(url, call, ADVICE)).data;
  return {
    sdk: createClient(createConfig({ baseUrl: url, auth })),
    askOnce,
    ask: (call, signal) => withRetries(() => askOnce(call()), { ...DEFAULT_RETRIES, signal }),
  };
}

/**
 * Options override the environment, which overrides the profile, unless an option names the profile. A profile's token
 * is sent only to the profile's own server.
 */
function runsConnectionOf(options: RunsClientOptions,
  env: Readonly<Record<string, string | undefined>> = process.env
): { readonly url: string; readonly token: string | undefined } {
  const { profile } = chosenProfile(options.serverProfile, env);
  const given = options.serverProfile === undefined ? env : {};
  const url = withoutSlash(options.url ?? (given['RUNS_URL'] || profile.runsUrl || RUNS_URL));
  checkUrl(url, '--url', RUNS_URL);
  const own = profile.runsUrl === url ? profile.runsToken : undefined;
  return { url, token: options.token ?? (given['RUNS_API_TOKEN'] || own) };
}

/** Items of one response. */
const PAGE = 100;

/**
 * The first items of a list, which the service returns page by page, and whether there are more. `page` requests one
 * page.
 */
export async function listed<T>(
  page: (
    query: { readonly limit: number; readonly before?: string },
  ) => Promise<{ readonly data: readonly T[]; readonly next_cursor: string | null }>,
  limit = Infinity,
): Promise<{ readonly items: readonly T[]; readonly more: boolean }> {
  const items: T[] = [];
  let before: string | undefined;
  do {
    const { data, next_cursor: next } = await page({ limit: Math.min(PAGE, limit - items.length), before });
    items.push(...data);
    before = next ?? undefined;
  } while (before !== undefined && items.length < limit);
  return { items, more: before !== undefined };
}

/** Returns a key for one request, which its retries use as well. */
export const newKey = (): string => randomUUID();

/** Adds `--key`, for users that want to repeat the same request later. */
export function addKeyOption(command: Command): Command {
  return command.option('--key <key>',
    'idempotency key, 8 to 128 characters: the same key returns the same run; without it a new one is made');
}
