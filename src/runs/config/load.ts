import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { readApiTokens, type Environment } from './api-tokens.ts';
import { parseRunsConfig, RunsConfigError } from './parse.ts';
import type { RunsConfig } from './schema/index.ts';
import { isUrl, readSource } from './source.ts';

export interface RunsConfigInput {
  /** Path, or http(s) URL. */
  readonly source: string;
  readonly env: Environment;
  /** False for whoever serves nobody, and so needs no tokens; true when absent. */
  readonly tokens?: boolean;
  /** The `etag` of what is loaded already; only for URLs. */
  readonly etag?: string | undefined;
  /** For tests. */
  readonly fetch?: typeof fetch;
}

export interface LoadedRunsConfig {
  readonly config: RunsConfig;
  /** Tokens that the API accepts; none: writes answer 401 and reads are open. */
  readonly apiTokens: readonly string[];
  /** Absolute path, or URL. */
  readonly source: string;
  /** The configuration came from a URL and cannot be written back (`config_read_only`). */
  readonly readOnly: boolean;
  /** SHA-256 of the text in hex: whether the file has changed since. */
  readonly hash: string;
  readonly etag?: string;
}

/**
 * Loads the configuration of the run-queue service (run-queue decisions, section 3). The first time
 * and again: undefined when a URL says that `etag` is still current. Throws a `RunsConfigError` with
 * one line for each problem; whoever reloads keeps the settings that it has.
 */
export async function loadRunsConfig(input: RunsConfigInput & { readonly etag: string }): Promise<LoadedRunsConfig | undefined>;
export async function loadRunsConfig(input: RunsConfigInput): Promise<LoadedRunsConfig>;
export async function loadRunsConfig({ source, env, tokens: needsTokens = true, etag, fetch }: RunsConfigInput): Promise<LoadedRunsConfig | undefined> {
  const read = await readSource(source, { bearer: env['RUNS_CONFIG_BEARER'], etag, fetch });
  if (read === undefined) return undefined;
  const config = parseRunsConfig(read.text);
  const { tokens, problems } = needsTokens ? readApiTokens(config, env) : { tokens: [], problems: [] };
  if (problems.length > 0) throw new RunsConfigError(problems);
  return {
    config,
    apiTokens: tokens,
    source: isUrl(source) ? source : resolve(source),
    readOnly: read.readOnly,
    hash: hashOf(read.text),
    ...(read.etag === undefined ? {} : { etag: read.etag }),
  };
}

/** The `hash` of a configuration's text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** An absolute path: relative ones start from `data_dir`, which itself starts from the working directory. */
export function inDataDir(config: RunsConfig, path: string): string {
  return resolve(config.data_dir, path);
}
