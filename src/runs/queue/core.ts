import type { Transaction } from '../../storage/index.ts';
import type { RunsConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { RunLogs } from '../logs/port.ts';
import type { Changes } from './changes.ts';
import type { DefinitionStore } from './definition-store.ts';
import type { Lanes } from './lanes.ts';
import type { Outage } from './outage.ts';
import type { RunChange, RunRecord } from './port.ts';
import type { QueueClock } from './queue-time.ts';

/** What the parts of the queue share. */
export interface Core {
  readonly env: RunsEnvironment;
  readonly note: RunLogs['note'];
  readonly line: RunLogs['line'];
  /** As `Math.random`. */
  readonly random: () => number;
  readonly time: QueueClock;
  readonly outage: Outage;
  readonly nextId: () => string;
  readonly lanes: Lanes;
  readonly definitions: DefinitionStore;
  readonly changes: Changes;
  /** Whether a ship that is not connected has all these labels. */
  readonly knowsShip: (selectors: readonly string[]) => boolean;
  /** Told of each change in the transaction that makes it. */
  readonly tell: (tx: Transaction, change: RunChange) => Promise<void>;
  /** Told in the transaction that a new run takes the place of an older one of its group. */
  readonly onSuperseded: (tx: Transaction, runId: string, by: string) => Promise<void>;
  /** Told in the transaction that ends a run, which may end others. */
  readonly onEnd: (tx: Transaction, run: RunRecord) => Promise<void>;
  /** There may be something to hand out. */
  readonly wake: () => void;
}

/** The settings as they are now; they may be others at the next call. */
export const settings = ({ env }: Pick<Core, 'env'>): RunsConfig => env.config.current().config;

/** How long a claimed run may wait for its ship to accept it (run-queue decisions, section 2.3, row 12). */
export const ACCEPT_MS = 10_000;

/** Beyond its own limit an attempt gets so long before the server ends it; its ship should have, long before. */
export const TIMEOUT_MARGIN_MS = 60_000;

/** Beyond the grace a cancelling run gets so long before it is cancelled without its ship (row 11). */
export const CANCEL_MARGIN_MS = 15_000;

/** A ship that has given no sign of life for so long, and for two heartbeats, is not waited for when a run is cancelled (row 11). */
export const SILENT_MS = 30_000;

/** A ship gets no runs of a lane for so long after it could not do one (decisions, section 6). */
export const UNSUPPORTED_MS = 300_000;
