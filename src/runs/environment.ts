import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Timer } from '../lib/timer.ts';
import type { Sql } from '../storage/index.ts';
import type { LoadedRunsConfig } from './config/index.ts';

/** What every area of the run-queue service works with. */
export interface RunsEnvironment {
  readonly sql: Sql;
  readonly clock: Clock;
  /** How loops wait; tests let it elapse by hand. */
  readonly timer: Timer;
  readonly log: Log;
  readonly config: LiveConfig;
  /** Name of this server among those that share a store. */
  readonly nodeId: string;
  /** Version of this build. */
  readonly version: string;
}

/** The configuration as it is now. It is replaced as a whole, so what is read together belongs together. */
export interface LiveConfig {
  current(): LoadedRunsConfig;
  /** Calls the listener after each change; the answer stops that. */
  onChange(listener: (loaded: LoadedRunsConfig) => void): () => void;
}
