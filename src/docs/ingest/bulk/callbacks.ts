import type { Timer } from '../../../lib/timer.ts';
import type { Outbound } from '../../../net/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { toRecord, type JobRow } from './job-rows.ts';
import { Loop } from './loop.ts';

export interface CallbackDeps extends Pick<DocsEnvironment, 'sql' | 'clock' | 'log' | 'keys'> {
  readonly outbound: Pick<Outbound, 'fetch'>;
  readonly timer: Timer;
  /** Version of this build, for `User-Agent`. */
  readonly version: string;
}

/** Milliseconds from a failed attempt to the next: four attempts, at 0, 1, 5 and 15 seconds (decisions, section 6). */
const PAUSES = [1000, 4000, 10_000];

const ATTEMPT = { timeoutMs: 10_000, maxBytes: 64 * 1024 };

/** Sent at once, so that one receiver that is down does not hold up all others. */
const AT_ONCE = 4;

/**
 * Sends the final records of jobs to those who asked for them. What is owed stands in the database, so it outlives the process; a
 * record whose delivery was not written down any more is sent again, and `X-SVC-Delivery` tells the receiver so.
 */
export function createCallbacks(deps: CallbackDeps): Loop {
  return new Loop((signal) => step(deps, signal), deps);
}

async function step(deps: CallbackDeps, signal: AbortSignal): Promise<number | undefined> {
  const { sql, clock } = deps;
  const owed = await sql.all<JobRow>('SELECT * FROM bulk_jobs WHERE callback_due IS NOT NULL ORDER BY callback_due LIMIT ?', [AT_ONCE]);
  const due = owed.filter((job) => job.callback_due! <= clock.now());
  if (due.length === 0) return owed[0] && owed[0].callback_due! - clock.now();
  await Promise.all(due.map((job) => attempt(deps, job, signal)));
  return 0;
}

async function attempt(deps: CallbackDeps, job: JobRow, signal: AbortSignal): Promise<void> {
  const { sql, clock, log } = deps;
  const failure = await send(deps, job, signal);
  if (failure !== undefined && signal.aborted) return;
  const pause = failure === undefined || failure === GONE ? undefined : PAUSES[job.callback_attempts];
  if (failure !== undefined) log.warn({ job: job.id, attempt: job.callback_attempts + 1, reason: failure, ...(pause !== undefined && { retryMs: pause }) }, 'the callback of a bulk ingest job failed');
  await sql.transaction((tx) => tx.run(
    'UPDATE bulk_jobs SET callback_attempts = callback_attempts + 1, callback_due = ? WHERE seq = ? AND id = ?',
    [pause === undefined ? null : clock.now() + pause, job.seq, job.id],
  ));
}

/** A receiver that answers 410 wants nothing more. */
const GONE = 'the receiver answered 410';

/** Why the record did not arrive; undefined when it did. */
async function send({ outbound, clock, keys, version }: CallbackDeps, job: JobRow, signal: AbortSignal): Promise<string | undefined> {
  try {
    const answer = await outbound.fetch(ATTEMPT)(job.callback_url!, {
      method: 'POST',
      redirect: 'manual',
      signal,
      headers: {
        'Content-Type': 'application/json', 'User-Agent': `svc-webhook/${version}`,
        'X-SVC-Event': 'bulk-ingest.ended', 'X-SVC-Delivery': job.id, 'X-SVC-Timestamp': String(Math.floor(clock.now() / 1000)),
      },
      body: JSON.stringify(toRecord(job, keys)),
    });
    await answer.body?.cancel();
    return answer.ok ? undefined : `the receiver answered ${answer.status}`;
  } catch (error) {
    return (error as Error).message;
  }
}
