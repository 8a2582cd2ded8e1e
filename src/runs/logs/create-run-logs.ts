import { Loop } from '../../lib/loop.ts';
import type { Audit } from '../audit/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Queue } from '../queue/port.ts';
import type { DiskRoom } from './disk-room.ts';
import { createLogHandlers, type LogHandlers } from './handlers.ts';
import { LogHub } from './hub.ts';
import type { RunLogs } from './port.ts';
import { countStored, Retention } from './retention.ts';
import { CUT, readAttempt, readNextSeq } from './rows.ts';
import { type Added, LogWriter } from './writer.ts';

/** Time between two sweeps of expired logs. */
const SWEEP_MS = 60_000;
/**
 * Time between two checks for logs above the budget: if all of them belong to running attempts, there is nothing to
 * remove.
 */
const MAKE_ROOM_MS = 1000;

/** Messages between servers that share a store about the logs that they write. */
type Word = readonly ['log', runId: string, attempt: number, messageBytes: number];

export interface RunLogsOptions {
  readonly env: RunsEnvironment;
  /** Free space of the disk, if the store is on one. */
  readonly room?: Pick<DiskRoom, 'isShort'> | undefined;
  /**
   * Called with the number of lines that were dropped because the budget of their attempt is used up. Must not throw.
   */
  readonly dropped?: (events: number) => void;
}

export interface RunLogsService extends RunLogs {
  /** The operations of clients on the logs of this queue, whose changes the streams follow from now on. */
  operations(queue: Pick<Queue, 'get' | 'onChange'>, audit: Audit): LogHandlers;
  /** Counts the stored bytes, and starts removing expired logs. */
  start(): Promise<void>;
  /** Ends the streams and the sweeping; lines are still accepted and read. */
  stop(): Promise<void>;
}

/** The logs of all attempts: stored, listed, streamed, and removed when they expire. */
export function createRunLogs({ env, room, dropped }: RunLogsOptions): RunLogsService {
  const { sql, clock, config, timer, log } = env;
  const hub = new LogHub(timer);
  const stopping = new AbortController();
  let total = 0;
  let unsubscribe: (() => void) | undefined;
  let making: Promise<void> | undefined;
  /** The last removal has removed all that there was. */
  let nothingLeft = false;

  const added = (what: Added): void => {
    total += what.storedBytes;
    if (what.dropped > 0) dropped?.(what.dropped);
    hub.added(what);
    if (what.messageBytes > 0)
      sql.peers?.notify(JSON.stringify(['log', what.runId, what.attempt, what.messageBytes] satisfies Word));
    if (isOver()) makeRoom();
  };
  const writer = new LogWriter({ sql, clock, config, room, added });
  const retention = new Retention({
    sql,
    clock,
    config,
    freed: (bytes) => (total -= bytes),
    expired: (runId, attempt) => writer.forget(runId, attempt),
  });
  const isOver = (): boolean => total > config.current().config.logs.total_budget;

  /**
   * Removes the oldest logs of finished attempts in the background, until the others fit in the budget. Only one
   * removal runs at a time.
   */
  function makeRoom(): void {
    making ??= retention.removeOldest(() => !isOver() || stopping.signal.aborted).then(() =>
      void (nothingLeft = isOver())
    ).catch((error: unknown) => log.warn({ err: error }, 'the oldest logs could not be removed')).finally(() =>
      timer.sleep(MAKE_ROOM_MS, stopping.signal).then(() => (making = undefined))
    );
  }

  /** Another server has added lines. */
  function receive(message: string | undefined): void {
    const [what, runId, attempt, messageBytes] = JSON.parse(message ?? '[]') as Partial<Word>;
    if (what === 'log') hub.added({ runId: runId!, attempt: attempt!, messageBytes: messageBytes! });
  }

  const sweeping = new Loop({
    name: 'logs',
    everyMs: SWEEP_MS,
    timer,
    log,
    failure: 'expired logs could not be removed',
  }, async (signal) => {
    // Other servers add and remove logs as well.
    if (sql.peers !== undefined) total = await countStored(sql.background).catch(() => total);
    try {
      await retention.sweep(() => signal.aborted);
    } finally {
      if (isOver()) makeRoom();
    }
  });

  return {
    append: (...args) => writer.append(...args),
    note: (...args) => writer.note(...args),
    lines: (...args) => writer.lines(...args),
    nextSeq: (runId, attempt) => readNextSeq(sql, runId, attempt),
    isFull: async (runId, attempt) => (await readAttempt(sql, runId, attempt))?.cut === CUT.rest,
    totalBytes: () => total,
    areFull() {
      if (!isOver()) return false;
      // An attempt may have ended meanwhile.
      makeRoom();
      return nothingLeft;
    },
    operations(queue, audit) {
      queue.onChange((change) => hub.changed(change));
      return createLogHandlers({ sql, hub, audit, retention, queue });
    },
    async start() {
      unsubscribe = sql.peers?.listen(receive);
      total = await countStored(sql.background);
      sweeping.start();
    },
    async stop() {
      unsubscribe?.();
      stopping.abort();
      hub.close();
      await Promise.all([sweeping.stop(), making]);
    },
  };
}
