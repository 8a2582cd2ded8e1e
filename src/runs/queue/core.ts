import type { Transaction } from '../../storage/index.ts';
import type { RunsConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { RunLogs } from '../logs/port.ts';
import type { Changes } from './changes.ts';
import type { DefinitionStore } from './definition-store.ts';
import type { Lanes } from './lanes.ts';
import type { Outage } from './outage.ts';
import type { RunRecord } from './port.ts';
import type { QueueClock } from './queue-time.ts';

/** What the parts of the queue share. */
export interface Core {
  readonly env: RunsEnvironment;
  readonly note: RunLogs['note'];
  readonly lines: RunLogs['lines'];
  /** Like `Math.random`. */
  readonly random: () => number;
  readonly time: QueueClock;
  readonly outage: Outage;
  readonly nextId: () => string;
  readonly lanes: Lanes;
  readonly definitions: DefinitionStore;
  readonly changes: Changes;
  /** Whether a ship that is not connected has all these labels. */
  readonly knowsShip: (selectors: readonly string[]) => boolean;
  /** Names a ship for people, as in `ship build-01`. */
  readonly nameShip: (shipId: string) => string;
  /** Called in the transaction in which a new run supersedes an older one of its group. */
  readonly onSuperseded: (tx: Transaction, runId: string, by: string) => Promise<void>;
  /** Called in the transaction that ends a run; it may end other runs. */
  readonly onEnd: (tx: Transaction, run: RunRecord) => Promise<void>;
  /** Called when there may be runs to assign. */
  readonly wake: () => void;
}

/** The current settings; a later call may return others. */
export const settings = ({ env }: Pick<Core, 'env'>): RunsConfig => env.config.current().config;

/** How long a claimed run may wait for its ship to accept it (run-queue decisions, section 2.3, row 12). */
export const ACCEPT_MS = 10_000;

/**
 * After its own time limit an attempt gets this much time before the server ends it; its ship should have ended it long
 * before.
 */
const TIMEOUT_MARGIN_MS = 60_000;

/** After the grace period a cancelling run gets this much time before it is cancelled without its ship (row 11). */
const CANCEL_MARGIN_MS = 15_000;

/**
 * When a run is cancelled, a ship without a sign of life for this long, and for two heartbeats, is not waited for (row
 * 11).
 */
export const SILENT_MS = 30_000;

/** A ship gets no runs of a lane for this long after it could not execute one (decisions, section 6). */
export const UNSUPPORTED_MS = 300_000;

type Backoff = RunsConfig['queue']['backoff'];

/**
 * How long a run waits after attempt number `attempt`, in milliseconds: `initial · factor^(attempt − 1)`, at most
 * `max`, then changed at random by at most `jitter` of it (run-queue decisions, section 2.3). `random` is like
 * `Math.random`.
 */
export function pauseAfter(attempt: number, { initial, factor, max, jitter }: Backoff, random: () => number): number {
  const full = Math.min(max, initial * factor ** (attempt - 1));
  return Math.round(full * (1 + jitter * (2 * random() - 1)));
}

/** No pause is longer. */
export function longestPause({ max, jitter }: Backoff): number {
  return Math.ceil(max * (1 + jitter));
}

/** How long after its timeout the server ends an attempt: its ship ends it before, with the steps that always run. */
export function timeoutMarginMs(core: Core): number {
  return Math.max(TIMEOUT_MARGIN_MS, longestCancelMs(core));
}

/** How long the server waits for the end of a run that is asked to stop, unless its ship is gone. */
export function longestCancelMs(core: Core): number {
  const { cancel_grace: grace, always_grace: always } = settings(core).queue;
  return grace + always + CANCEL_MARGIN_MS;
}
