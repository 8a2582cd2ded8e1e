import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import { isRecent, systemTimer, type Timer } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import type { Outcome } from '../../operations/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { publishEvent } from './service-event.ts';

/** Percentage of the disk at which an alarm is sent, and below which the next alarm can be sent. */
const FULL_PERCENT = 85;
const RELIEVED_PERCENT = 80;

const LOOK_MS = 60_000;

/** Milliseconds until failures of the same operation are reported again. */
const COOLDOWN_MS = 300_000;

/**
 * Detects problems that the operator should know about (decisions, section 6): handlers that throw, and a disk that
 * fills up.
 */
export interface Alarms {
  /** Call this with the outcome of each operation. Neither throws nor waits. */
  readonly observe: (outcome: Pick<Outcome, 'operation' | 'error'>) => void;
  /** The same for a handler in another process. */
  readonly receive: (operation: string) => void;
  /** Watches the disk, on servers that write. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface AlarmDeps {
  readonly timer?: Timer;
  /** Used percentage of the disk; undefined if it is unknown. */
  readonly usedPercent?: () => Promise<number | undefined>;
}

export function createAlarms(
  environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'log' | 'settings' | 'clock' | 'relay'>,
  { timer = systemTimer, usedPercent = () => diskUse(environment.sql.info.path) }: AlarmDeps = {},
): Alarms {
  const reportedAt = new Map<string, number>();
  const watching = watchDisk(environment, timer, usedPercent);
  const receive = (id: string): void => {
    const now = environment.clock.now();
    if (isRecent(reportedAt.get(id) ?? -Infinity, now, COOLDOWN_MS)) return;
    reportedAt.set(id, now);
    publishEvent(environment, 'ops.panic_recovered', { operation: id });
  };
  return {
    observe({ operation: { id }, error }) {
      if (error === undefined || !isUnforeseen(error)) return;
      if (environment.relay === undefined) receive(id);
      else environment.relay.add({ kind: 'unforeseen', operation: id });
    },
    receive,
    async start() {
      if (environment.settings.mode !== 'read') watching.start();
    },
    async stop() {
      await watching.stop();
    },
  };
}

/** Whether a handler threw an unexpected error. A client that has disconnected does not count. */
function isUnforeseen(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'internal';
  return error instanceof Error && error.name !== 'ClientGone' && error.name !== 'AbortError';
}

function watchDisk(environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'log' | 'settings'>, timer: Timer,
  usedPercent: () => Promise<number | undefined>): Loop
{
  let isReported = false;
  return new Loop({
    name: 'disk',
    everyMs: LOOK_MS,
    timer,
    log: environment.log,
    failure: 'the use of the disk could not be read',
  }, async () => {
    const percent = await usedPercent();
    if (percent !== undefined && percent >= FULL_PERCENT && !isReported)
      publishEvent(environment, 'ops.disk_usage_high', { usedPercent: percent, thresholdPercent: FULL_PERCENT });
    if (percent !== undefined) isReported = percent >= (isReported ? RELIEVED_PERCENT : FULL_PERCENT);
  });
}

/** The use of the file system that contains the database, as `df` counts it. */
async function diskUse(path: string): Promise<number | undefined> {
  if (path === ':memory:') return undefined;
  const found = await statfs(dirname(path)).catch(() => undefined);
  if (found === undefined || found.blocks === 0) return undefined;
  const used = found.blocks - found.bfree;
  return Math.round((100 * used) / (used + found.bavail));
}
