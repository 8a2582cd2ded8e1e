import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { Reply, type Handlers } from '../../operations/index.ts';
import type { RunRecord } from '../queue/port.ts';
import { follow, hasEnded, type FollowedAttempt, type FollowOptions } from './follow.ts';
import { expired, readPage } from './reader.ts';

export type LogHandlers = Required<Pick<Handlers<Operations>, 'listRunLogs' | 'streamRunLogs'>>;

/** Nothing between server and client may hold events back. */
const STREAM_HEADERS = { 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' };

export function createLogHandlers(options: FollowOptions): LogHandlers {
  return {
    async listRunLogs({ id, attempt, offset }) {
      // The run first: whether it had ended is true of what is read after it.
      const found = await find(options, id, attempt);
      const { events, end } = await readPage(options.sql, id, found.attempt, offset);
      const next = offset + events.length;
      return { data: [...events], next_offset: next, complete: next >= end && hasEnded(found.run, found.attempt) };
    },

    async streamRunLogs({ id, attempt, offset, lastEventId }, { signal }) {
      const found = await find(options, id, attempt);
      const from: FollowedAttempt = { runId: id, attempt: found.attempt, offset: lastEventId === undefined ? offset : after(lastEventId) };
      await readPage(options.sql, id, found.attempt, from.offset); // what can't be read is known before the answer begins
      return new Reply({ contentType: 'text/event-stream', content: follow(options, from, signal) }, STREAM_HEADERS);
    },
  };
}

/** Throws `run_not_found`, `invalid_attempt` or `logs_expired`. */
async function find({ queue }: FollowOptions, id: string, given: number | undefined): Promise<{ run: RunRecord; attempt: number }> {
  const run = /^[0-9a-f]{32}$/.test(id) ? await queue.get(id) : undefined;
  if (run === undefined) throw new ServiceError('run_not_found', 'there is no such run');
  const attempt = given ?? run.attempt;
  if (attempt < 1 || attempt > run.attempt) throw new ServiceError('invalid_attempt', `attempt must be from 1 to ${run.attempt}, got ${attempt}`);
  if (attempt === run.attempt && run.logsExpired) throw expired(attempt);
  return { run, attempt };
}

function after(lastEventId: string): number {
  const id = Number(lastEventId);
  if (id >= Number.MAX_SAFE_INTEGER) throw new ServiceError('invalid_offset', `Last-Event-ID must be below ${Number.MAX_SAFE_INTEGER}, got ${lastEventId}`);
  return id + 1;
}
