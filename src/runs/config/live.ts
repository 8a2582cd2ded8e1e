import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import { type LoadedRunsConfig, loadRunsConfig } from './load.ts';
import { RunsConfigError } from './parse.ts';
import type { RunsConfig } from './schema/index.ts';
import { type Environment, missingSecrets, openSecrets, unsignedWebhooks, weakWebhooks } from './variables.ts';

/** Editors write in several steps, and each step is an event. */
const SETTLE_MS = 100;

/** Settings that are read only at the start (run-queue decisions, section 3). */
const FIXED: readonly (keyof RunsConfig)[] = ['listen', 'compress_answers', 'console', 'tls', 'node_id', 'data_dir',
  'requests', 'storage', 'backup', 'fleet'];

export interface LiveConfigOptions {
  readonly loaded: LoadedRunsConfig;
  /** Where tokens are found; read again at each reload. */
  readonly env: Environment;
  readonly log: Log;
  readonly timer: Timer;
}

/**
 * The outcome of a reading that found a change; `mended`: the refused text is gone, and the source has the settings in
 * use again.
 */
export type ReloadOutcome = 'loaded' | 'mended' | 'refused';

/**
 * The configuration while the service runs. It watches its file, or polls its URL. A valid new configuration replaces
 * the old one as a whole; an invalid one is logged, and the settings stay as they are.
 */
export class LiveRunsConfig {
  readonly #options: LiveConfigOptions;
  readonly #listeners = new Set<(loaded: LoadedRunsConfig) => void>();
  readonly #attempts = new Set<(outcome: ReloadOutcome) => void>();
  readonly #stopped = new AbortController();
  readonly #started: RunsConfig;
  /** Polls files as well, because not every file system reports changes. */
  readonly #refreshing: Loop;
  #loaded: LoadedRunsConfig;
  #watcher: FSWatcher | undefined;
  #reloading: Promise<void> = Promise.resolve();
  /** So that a broken file is logged only once. */
  #refused = '';

  constructor(options: LiveConfigOptions) {
    this.#options = options;
    this.#loaded = options.loaded;
    this.#started = options.loaded.config;
    const { timer, log } = options;
    this.#refreshing = new Loop({
      name: 'configuration',
      everyMs: () => this.#loaded.config.config.refresh || Infinity,
      waitsFirst: true,
      timer,
      log,
      failure: 'the configuration could not be read again',
    }, () => this.reload());
  }

  current(): LoadedRunsConfig {
    return this.#loaded;
  }

  onChange(listener: (loaded: LoadedRunsConfig) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Like `onChange`, and also called for refused configurations. */
  onAttempt(listener: (outcome: ReloadOutcome) => void): () => void {
    this.#attempts.add(listener);
    return () => void this.#attempts.delete(listener);
  }

  /** Watches the source until `stop`. */
  start(): void {
    this.#logMissingSecrets(this.#loaded.config);
    if (!this.#loaded.readOnly) this.#watch();
    this.#refreshing.start();
  }

  /** Reads the source after any reading under way has ended. Never rejects. */
  reload(): Promise<void> {
    return (this.#reloading = this.#reloading.then(() => this.#reload()));
  }

  /** Applies a text that was just written to the file. */
  replace(loaded: LoadedRunsConfig): void {
    this.#loaded = loaded;
    this.#logDelayedSettings(loaded.config);
    this.#logMissingSecrets(loaded.config);
    for (const listener of this.#listeners) listener(loaded);
    this.#markValid();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#refreshing.stop();
    this.#watcher?.close();
    await this.#reloading;
  }

  /** Watches the folder, because a watch on the file ends when another file replaces it. */
  #watch(): void {
    const { log } = this.#options;
    let settling: NodeJS.Timeout | undefined;
    try {
      this.#watcher = watch(dirname(this.#loaded.source), { persistent: false }, () => {
        clearTimeout(settling);
        settling = setTimeout(() => void this.reload(), SETTLE_MS).unref();
      });
      this.#watcher.on('error', (error) =>
        log.warn({ err: error }, 'the configuration is no longer watched; SIGHUP reloads it'));
    } catch (error) {
      log.warn({ err: error }, 'the configuration cannot be watched; SIGHUP reloads it');
    }
  }

  async #reload(): Promise<void> {
    const { env, log } = this.#options;
    if (this.#stopped.signal.aborted) return;
    try {
      const { source, folder, etag, hash } = this.#loaded;
      const loaded = await (etag === undefined
        ? loadRunsConfig({ source, folder, env })
        : loadRunsConfig({ source, folder, env, etag }));
      if (loaded === undefined || loaded.hash === hash)
        return this.#markValid();
      this.#refused = ''; // logged below
      this.replace(loaded);
      log.info({ source }, 'configuration reloaded');
      this.#report('loaded');
    } catch (error) {
      const problems = error instanceof RunsConfigError ? error.problems : [(error as Error).message];
      const refused = problems.join('\n');
      if (refused === this.#refused) return;
      this.#refused = refused;
      log.error({ problems }, 'the new configuration is refused; the settings stay as they are');
      this.#report('refused');
    }
  }

  /** The source is valid again: another text was loaded, or the former one is back. */
  #markValid(): void {
    if (this.#refused === '') return;
    this.#refused = '';
    this.#options.log.info({ source: this.#loaded.source }, 'the configuration is valid again');
    this.#report('mended');
  }

  #report(outcome: ReloadOutcome): void {
    for (const listener of this.#attempts) listener(outcome);
  }

  /** Only the runs that need them fail, so missing secrets do not keep the service from starting. */
  #logMissingSecrets(config: RunsConfig): void {
    for (const { name, env } of missingSecrets(config, this.#options.env)) {
      this.#options.log.warn({ secret: name, variable: env },
        'the variable of a secret is not set; runs that need it fail');
    }
    for (const { name, env } of openSecrets(config, this.#options.env)) {
      this.#options.log.warn({ secret: name, variable: env },
        "the value of a secret is not masked in logs: it has fewer than 6 characters, or is a part of a secret's name");
    }
    for (const { name, secret_env: variable } of unsignedWebhooks(config, this.#options.env)) {
      this.#options.log.warn({ webhook: name, variable },
        'the variable with the key of a webhook is not set; notifications for it wait');
    }
    for (const weak of weakWebhooks(config, this.#options.env)) {
      this.#options.log.warn(weak,
        'the key of a webhook should be replaced: its signatures are missing or can be forged');
    }
  }

  #logDelayedSettings(config: RunsConfig): void {
    const waiting = FIXED.filter((key) => !isDeepStrictEqual(config[key], this.#started[key]));
    if (waiting.length > 0)
      this.#options.log.warn({ settings: waiting }, 'these settings take effect at the next start');
  }
}
