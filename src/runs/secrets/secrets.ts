import { cached, Lru } from '../../lib/caches.ts';
import { createOutbound, type Outbound } from '../../net/index.ts';
import { type Environment, type LoadedRunsConfig, type SecretConfig, type SecretKind,
  secretKinds } from '../config/index.ts';
import { type Definition, SecretUnavailable, type UnavailableSecret } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Claim, Queue } from '../queue/port.ts';
import { eventOf, type RunEvent } from './events.ts';
import { MAX_VALUE_BYTES, type SecretSource, type SourceDeps, SourceFailure } from './port.ts';
import { awsSource } from './sources/aws.ts';
import { azureSource } from './sources/azure.ts';
import { googleSource } from './sources/google.ts';
import { commandSource, envSource, fileSource } from './sources/local.ts';
import { vaultSource } from './sources/vault.ts';

interface SecretsDeps {
  readonly variables: Environment;
  readonly queue: Pick<Queue, 'get'>;
  /** Calls the stores; by default any address, because only the operator can name one. */
  readonly outbound?: Outbound;
}

const SOURCES: Readonly<Record<SecretKind, (deps: SourceDeps) => SecretSource>> = {
  env: envSource,
  file: () => fileSource,
  command: commandSource,
  vault: vaultSource,
  aws: awsSource,
  google: googleSource,
  azure: azureSource,
};

/** Sources that are read for each attempt; asking the others costs a process or a request. */
const IMMEDIATE: ReadonlySet<SecretKind> = new Set<SecretKind>(['env', 'file']);

const MAX_CACHED = 1000;
const MAX_ANSWER_BYTES = 1_048_576;

/** What one version of the configuration has: its sources, and the values that they have told. */
interface Opened {
  readonly loaded: LoadedRunsConfig;
  readonly sources: Map<SecretKind, SecretSource>;
  readonly values: Lru<string, () => Promise<string>>;
}

/** A value, or why there is none. */
interface Found {
  readonly value?: string;
  readonly why?: UnavailableSecret['why'];
}

/** The values of secrets, fetched when an attempt is assigned. */
export class Secrets {
  readonly #env: RunsEnvironment;
  readonly #deps: SecretsDeps;
  readonly #outbound: Outbound;
  #opened: Opened | undefined;

  constructor(env: RunsEnvironment, deps: SecretsDeps) {
    this.#env = env;
    this.#deps = deps;
    this.#outbound = deps.outbound ?? createOutbound({ allowPrivate: 'true', allowlist: [] }, { timer: env.timer });
  }

  /**
   * The values that a run needs, by name; all of them are fetched at once. Rejects with `SecretUnavailable`, which says
   * of each secret why there is none: the run may not use it, its source has no value, or the source failed.
   */
  async valuesFor({ run, definition }: Pick<Claim, 'run' | 'definition'>): Promise<ReadonlyMap<string, string>> {
    const names = secretNames(definition);
    if (names.length === 0) return new Map();
    const opened = this.#open();
    const { secrets } = opened.loaded.config;
    const chosen = names.map((name) => ({ name, secret: secrets.find((each) => each.name === name) }));
    const event = chosen.some(({ secret }) => secret?.events != null)
      ? await eventOf(run, (id) => this.#deps.queue.get(id))
      : undefined;
    const found = await Promise.all(chosen.map(async ({ name, secret }) => ({
      name,
      ...(await this.#fetch(opened, secret, { projectId: run.projectId, event })),
    })));
    const missing = found.flatMap(({ name, value, why }) => (value === undefined ? [{ name, why }] : []));
    if (missing.length > 0) throw new SecretUnavailable(missing);
    return new Map(found.map(({ name, value }) => [name, value!]));
  }

  /** The value of a secret that the service uses itself, such as the token of a forge; undefined if there is none. */
  async valueOf(name: string): Promise<string | undefined> {
    const opened = this.#open();
    const secret = opened.loaded.config.secrets.find((each) => each.name === name);
    return secret && (await this.#read(opened, secret)).value;
  }

  async close(): Promise<void> {
    await this.#outbound.close();
  }

  async #fetch(opened: Opened, secret: SecretConfig | undefined, user: SecretUser): Promise<Found> {
    if (secret === undefined) return { why: 'the configuration has no such secret' };
    const refusal = refusalOf(secret, user);
    return refusal === undefined ? this.#read(opened, secret) : { why: refusal };
  }

  async #read(opened: Opened, secret: SecretConfig): Promise<Found> {
    const [kind = 'env'] = secretKinds(secret);
    try {
      const value = IMMEDIATE.has(kind)
        ? await this.#ask(opened, kind, secret)
        : await this.#kept(opened, kind, secret);
      if (value === undefined) return kind === 'env' ? {} : { why: 'its source has no value' };
      const problem = problemOf(value);
      return problem === undefined ? { value } : { why: problem };
    } catch (error) {
      if (error instanceof SourceFailure) return { why: error.message };
      this.#env.log.error({ err: error, secret: secret.name }, 'a secret could not be read');
      return { why: `its source (${kind}) failed` };
    }
  }

  /** The value of a source that takes time; requests at the same time share one answer. Failures are not kept. */
  async #kept(opened: Opened, kind: SecretKind, secret: SecretConfig): Promise<string | undefined> {
    const key = JSON.stringify([kind, secret[kind]]);
    const known = opened.values.get(key);
    const load = known ?? cached(async () => {
      const value = await this.#ask(opened, kind, secret);
      if (value === undefined) throw new SourceFailure('its source has no value');
      return value;
    }, opened.loaded.config.secret_sources.cache, this.#env.clock);
    if (known === undefined) opened.values.set(key, load);
    return load();
  }

  /** Asks the source, for at most `secret_sources.timeout`. An empty value is none, because it cannot be masked. */
  async #ask({ loaded, sources }: Opened, kind: SecretKind, secret: SecretConfig): Promise<string | undefined> {
    const { config: { secret_sources: settings } } = loaded;
    const { variables } = this.#deps;
    const { clock, timer } = this.#env;
    const source = sources.get(kind) ?? SOURCES[kind]({
      settings,
      variables,
      clock,
      timer,
      fetch: this.#outbound.fetch({ maxBytes: MAX_ANSWER_BYTES, timeoutMs: settings.timeout }),
    });
    sources.set(kind, source);
    const [late, done] = [new AbortController(), new AbortController()];
    const timeout = timer.sleep(settings.timeout, done.signal).then(() => {
      late.abort();
      throw new SourceFailure(`its source (${kind}) had no answer within ${settings.timeout / 1000} s`);
    });
    // It also rejects once there is an answer, when nobody waits for it.
    timeout.catch(() => undefined);
    try {
      return (await Promise.race([source.value(secret, late.signal), timeout])) || undefined;
    } finally {
      done.abort();
    }
  }

  /** A changed configuration has its own sources and values. */
  #open(): Opened {
    const loaded = this.#env.config.current();
    if (this.#opened?.loaded !== loaded) this.#opened = { loaded, sources: new Map(), values: new Lru(MAX_CACHED) };
    return this.#opened;
  }
}

/** The names of all secrets that an attempt needs: those of its steps, and those with which git authenticates. */
function secretNames({ secrets, git }: Definition): string[] {
  return [...new Set([...secrets, git?.token ?? '', git?.sshKey ?? ''].filter((name) => name !== ''))];
}

interface SecretUser {
  readonly projectId: string;
  readonly event: RunEvent | undefined;
}

function refusalOf({ projects, events }: SecretConfig, { projectId, event }: SecretUser): string | undefined {
  if (projects !== null && !projects.includes(projectId)) return `it is not for the project ${projectId}`;
  if (events === null || (event !== undefined && events.includes(event))) return undefined;
  return event === undefined
    ? 'it is for some events only, and the run that this one repeats is no longer stored'
    : `it is not for runs of the event ${event}`;
}

function problemOf(value: string): string | undefined {
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) return `its value has more than ${MAX_VALUE_BYTES} bytes`;
  return value.includes('\0') ? 'its value has a NUL, which no variable can hold' : undefined;
}
