import type { LogEvent } from '../../../generated/runs/sdk/types.gen.ts';
import type { Queries } from '../../storage/index.ts';
import type { Queue, RunRecord } from '../queue/port.ts';
import type { LogHub, LogWatch } from './hub.ts';
import { readPage } from './reader.ts';

export interface FollowOptions {
  readonly sql: Queries;
  readonly queue: Pick<Queue, 'get'>;
  readonly hub: LogHub;
}

export interface FollowedAttempt {
  readonly runId: string;
  readonly attempt: number;
  /** Offset of the first event to send. */
  readonly offset: number;
  /** If true, ends with the attempt; otherwise with the run. */
  readonly alone?: boolean;
}

/** Approximate number of bytes that may wait for a reader. */
const PIECE = 65_536;

const STATES = ['queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'] as const;
const TERMINAL = 3;

/**
 * An attempt's log, and those of later attempts, as server-sent events: the stored lines, then new ones, and `end`. It
 * stops without `end` when the reader falls too far behind, when the signal aborts and when the hub closes; a reader
 * that reconnects with the last id continues after it.
 *
 * Lines are read from the store, a page at a time and only as fast as the reader takes them: the hub only says when to
 * read. So nothing is buffered for a slow reader.
 */
export async function* follow(options: FollowOptions, start: FollowedAttempt,
  signal: AbortSignal): AsyncGenerator<Uint8Array>
{
  const { runId, alone = false } = start;
  let { attempt } = start;
  const watch = options.hub.watch(runId, attempt, signal);
  try {
    let run = await options.queue.get(runId);
    if (run === undefined) return;
    yield stateEvent(run);
    for (let next = start.offset;;) {
      // A change of the run is taken before its last lines are read, and sent after them.
      const changes = watch.takeChanges();
      next = yield* unread(options.sql, { runId, attempt, offset: next }, watch);
      if (watch.over || watch.tooFarBehind) return;
      for (const change of changes) {
        if (order(change) <= order(run)) continue;
        run = change;
        yield stateEvent(run);
      }
      if (hasEnded(run, attempt)) {
        if (alone || run.attempt === attempt) return yield endEvent(attempt, next);
        attempt += 1;
        next = 0;
        watch.turnTo(attempt);
        continue;
      }
      await watch.news();
      if (watch.over) return;
      if (!watch.takeComment()) continue;
      yield COMMENT;
      // Another node may have written lines that this node was not notified of.
      const now = await options.queue.get(runId);
      if (now !== undefined) watch.changed(now);
    }
  } finally {
    watch.end();
  }
}

/** Whether the attempt can get no more lines. */
export function hasEnded(run: RunRecord, attempt: number): boolean {
  return run.attempt > attempt || STATES.indexOf(run.state) >= TERMINAL;
}

/** Sends the stored lines that were not sent yet; returns where to continue. */
async function* unread(sql: Queries, { runId, attempt, offset }: FollowedAttempt,
  watch: LogWatch): AsyncGenerator<Uint8Array, number>
{
  let next = offset;
  while (!watch.over && !watch.tooFarBehind) {
    const { events } = await readPage(sql, runId, attempt, next, PIECE);
    if (events.length === 0) {
      watch.caughtUp();
      return next;
    }
    yield logEvents(events, attempt, next);
    next += events.length;
    watch.sent(events.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0));
  }
  return next;
}

/** Increases with each change of a run, so that a late message can be recognised as outdated. */
function order({ fence, state }: RunRecord): number {
  return fence * 4 + Math.min(STATES.indexOf(state), TERMINAL);
}

const COMMENT = Buffer.from(': nothing new\n\n');

function stateEvent({ state, attempt }: RunRecord): Uint8Array {
  return Buffer.from(`event: state\ndata: ${JSON.stringify({ state, attempt })}\n\n`);
}

function logEvents(events: readonly LogEvent[], attempt: number, offset: number): Uint8Array {
  return Buffer.from(
    events.map((event, i) => `id: ${attempt}-${offset + i}\nevent: log\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );
}

function endEvent(attempt: number, nextOffset: number): Uint8Array {
  return Buffer.from(`event: end\ndata: ${JSON.stringify({ next_offset: nextOffset, attempt })}\n\n`);
}
