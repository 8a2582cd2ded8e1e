import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Handlers, Reply } from '../../operations/index.ts';
import type { Sql } from '../../storage/index.ts';
import type { Audit } from '../audit/index.ts';
import { actorOf } from '../auth/index.ts';
import type { RunRecord } from '../queue/port.ts';
import { follow, type FollowedAttempt, type FollowOptions, hasEnded } from './follow.ts';
import { expired, readPage } from './reader.ts';
import type { Retention } from './retention.ts';

export type LogHandlers = Required<Pick<Handlers<Operations>, 'listRunLogs' | 'streamRunLogs' | 'deleteRunLogs'>>;

/** Proxies between server and client must not buffer events. */
const STREAM_HEADERS = { 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' };

interface LogHandlerOptions extends FollowOptions {
  readonly sql: Sql;
  readonly audit: Audit;
  readonly retention: Pick<Retention, 'markRun' | 'sweep'>;
}

export function createLogHandlers(options: LogHandlerOptions): LogHandlers {
  return {
    async listRunLogs({ id, attempt, offset }) {
      // The run is read first: if it had ended then, the lines read after it are complete.
      const found = await find(options, id, attempt);
      const { events, end } = await readPage(options.sql, id, found.attempt, offset);
      const next = offset + events.length;
      return { data: [...events], next_offset: next, complete: next >= end && hasEnded(found.run, found.attempt) };
    },

    async streamRunLogs({ id, attempt, offset, lastEventId }, { signal }) {
      const last = lastEventId === undefined ? undefined : readEventId(lastEventId);
      const found = await find(options, id, attempt ?? last?.attempt);
      const from: FollowedAttempt = {
        runId: id,
        attempt: found.attempt,
        offset: last?.attempt === found.attempt ? last.offset + 1 : offset,
        alone: attempt !== undefined,
      };
      // errors of the store must occur before the response begins
      await readPage(options.sql, id, found.attempt, from.offset);
      return new Reply({ contentType: 'text/event-stream', content: follow(options, from, signal) }, STREAM_HEADERS);
    },

    async deleteRunLogs({ id }, context) {
      const run = await requireRun(options, id);
      if (run.finishedAt === null)
        throw new ServiceError('run_state_conflict',
          `the run is ${run.state}: its logs can be deleted when it has ended`);
      await options.sql.transaction(async (tx) => {
        await options.retention.markRun(tx, id);
        await options.audit.record(tx, actorOf(context), 'delete', id, { what: 'logs' });
      });
      // Nobody can read the remaining chunks any more; the next sweep removes them as well.
      void options.retention.sweep(() => false).catch(() => undefined);
    },
  };
}

/** Throws `run_not_found`, `invalid_attempt` or `logs_expired`. */
async function find({ queue }: FollowOptions, id: string,
  given: number | undefined): Promise<{ run: RunRecord; attempt: number }>
{
  const run = await requireRun({ queue }, id);
  const attempt = given ?? run.attempt;
  if (attempt < 1 || attempt > run.attempt)
    throw new ServiceError('invalid_attempt', `attempt must be from 1 to ${run.attempt}, got ${attempt}`);
  if (attempt === run.attempt && run.logsExpired) throw expired(attempt);
  return { run, attempt };
}

async function requireRun({ queue }: Pick<FollowOptions, 'queue'>, id: string): Promise<RunRecord> {
  const run = /^[0-9a-f]{32}$/.test(id) ? await queue.get(id) : undefined;
  if (run === undefined) throw new ServiceError('run_not_found', 'there is no such run');
  return run;
}

/** Attempt and offset of an event. */
function readEventId(text: string): { readonly attempt: number; readonly offset: number } {
  const [, attempt, offset] = /^(\d{1,9})-(\d{1,16})$/.exec(text) ?? [];
  if (offset === undefined || Number(offset) >= Number.MAX_SAFE_INTEGER)
    throw new ServiceError('invalid_offset',
      `Last-Event-ID must be the id of an event, such as 1-41, got ${text.slice(0, 100)}`);
  return { attempt: Number(attempt), offset: Number(offset) };
}
