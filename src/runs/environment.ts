import type { Clock, Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Sql } from '../storage/index.ts';
import type { LoadedRunsConfig } from './config/index.ts';

/** The dependencies that every area of the run-queue service uses. */
export interface RunsEnvironment {
  readonly sql: Sql;
  readonly clock: Clock;
  /** How loops wait; tests control the elapsed time. */
  readonly timer: Timer;
  readonly log: Log;
  readonly config: LiveConfig;
  /** Name of this server among the servers that share a store. */
  readonly nodeId: string;
  /** Version of this build. */
  readonly version: string;
}

/** The current configuration. It is replaced as a whole, so values that must fit together are read from one call. */
export interface LiveConfig {
  current(): LoadedRunsConfig;
  /** Calls the listener after each change; the returned function unsubscribes it. */
  onChange(listener: (loaded: LoadedRunsConfig) => void): () => void;
}
