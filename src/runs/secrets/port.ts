import type { Clock, Timer } from '../../lib/clock.ts';
import type { Environment, SecretConfig, SecretSources } from '../config/index.ts';

/** A place that has values of secrets. */
export interface SecretSource {
  /**
   * The current value of an entry of `secrets` that names this source; undefined if there is none. Rejects with
   * `SourceFailure`, whose message never holds a value.
   */
  value(secret: SecretConfig, signal: AbortSignal): Promise<string | undefined>;
}

/** What sources need of the process. */
export interface SourceDeps {
  readonly settings: SecretSources;
  readonly variables: Environment;
  /** Calls addresses of the configuration. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** A source that has no value because it refused, failed or did not answer. The message is shown to users. */
export class SourceFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SourceFailure';
  }
}

/** Most bytes of a value: with the other variables it must fit into the environment of a process. */
export const MAX_VALUE_BYTES = 65_536;
