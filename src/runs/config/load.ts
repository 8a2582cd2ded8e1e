import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { deepFreeze } from '../../lib/setting-values.ts';
import { parseRunsConfig, RunsConfigError } from './parse.ts';
import type { RunsConfig } from './schema/index.ts';
import { isUrl, readSource } from './source.ts';
import { type Environment, readApiTokens } from './variables.ts';

export interface RunsConfigInput {
  /** Path, or http(s) URL. */
  readonly source: string;
  readonly env: Environment;
  /** Folder that relative paths start from. Default: the folder of the file, or the working directory for a URL. */
  readonly folder?: string | undefined;
  /** False for commands that serve no requests and need no tokens. Default: true. */
  readonly tokens?: boolean;
  /** The `etag` of the loaded configuration; only for URLs. */
  readonly etag?: string | undefined;
  /** For tests. */
  readonly fetch?: typeof fetch;
}

export interface LoadedRunsConfig {
  readonly config: RunsConfig;
  /** Tokens that the API accepts. If there are none, writes return 401 and reads are open. */
  readonly apiTokens: readonly string[];
  /** Absolute path, or URL. */
  readonly source: string;
  /** Absolute path of the folder that relative paths of the configuration started from. */
  readonly folder: string;
  /** The configuration came from a URL and cannot be written back (`config_read_only`). */
  readonly readOnly: boolean;
  /** SHA-256 of the text in hex; shows whether the file has changed since. */
  readonly hash: string;
  readonly etag?: string;
}

/**
 * Loads the configuration of the run-queue service (run-queue decisions, section 3), at the start and at reloads.
 * Undefined when a URL says that `etag` is still current. Throws a `RunsConfigError` with one line for each problem; a
 * caller that reloads then keeps its settings.
 */
export async function loadRunsConfig(
  input: RunsConfigInput & { readonly etag: string },
): Promise<LoadedRunsConfig | undefined>;
export async function loadRunsConfig(input: RunsConfigInput): Promise<LoadedRunsConfig>;
export async function loadRunsConfig(
  { source, env, folder: given, tokens: needsTokens = true, etag, fetch }: RunsConfigInput,
): Promise<LoadedRunsConfig | undefined> {
  const read = await readSource(source, { bearer: env['RUNS_CONFIG_BEARER'], etag, fetch });
  if (read === undefined) return undefined;
  const folder = resolve(given ?? (isUrl(source) ? '.' : dirname(source)));
  const config = withAbsolutePaths(parseRunsConfig(read.text), folder);
  const { tokens, problems } = needsTokens ? readApiTokens(config, env) : { tokens: [], problems: [] };
  if (problems.length > 0) throw new RunsConfigError(problems);
  return {
    config,
    apiTokens: tokens,
    source: isUrl(source) ? source : resolve(source),
    folder,
    readOnly: read.readOnly,
    hash: hashOf(read.text),
    etag: read.etag,
  };
}

/** The `hash` of a configuration's text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Makes paths absolute, so that a service started from another working directory still finds its data and certificates.
 */
function withAbsolutePaths(config: RunsConfig, folder: string): RunsConfig {
  const { data_dir, tls, secrets, secret_sources: { vault, google, azure, ...sources } } = config;
  const absolute = (path: string): string => (path === '' ? '' : resolve(folder, path));
  return deepFreeze({
    ...config,
    data_dir: absolute(data_dir),
    tls: { cert: absolute(tls.cert), key: absolute(tls.key) },
    secrets: secrets.map((secret) => ({ ...secret, file: absolute(secret.file) })),
    secret_sources: {
      ...sources,
      vault: {
        ...vault,
        token_file: absolute(vault.token_file),
        approle: { ...vault.approle, secret_id_file: absolute(vault.approle.secret_id_file) },
        kubernetes: { ...vault.kubernetes, token_file: absolute(vault.kubernetes.token_file) },
      },
      google: { ...google, credentials_file: absolute(google.credentials_file) },
      azure: { ...azure, token_file: absolute(azure.token_file) },
    },
  });
}

/**
 * An absolute path: relative ones start from `data_dir`, which itself starts from the folder of the configuration file.
 */
export function inDataDir(config: RunsConfig, path: string): string {
  return resolve(config.data_dir, path);
}
