import type { Timer } from '../../../lib/clock.ts';
import { Loop } from '../../../lib/loop.ts';
import { type Outbound, type Post, poster, signatureHeaders } from '../../../net/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { callbackUrlOf, type JobRow, toRecord } from './job-rows.ts';

interface CallbackDeps extends Pick<DocsEnvironment, 'sql' | 'clock' | 'log' | 'keys'> {
  readonly outbound: Pick<Outbound, 'sender'>;
  readonly timer: Timer;
  /** Key of the signature; empty for none. */
  readonly secret: string;
  /** Version of this build, for `User-Agent`. */
  readonly version: string;
}

/**
 * Milliseconds between a failed attempt and the next: four attempts, after 0, 1, 5 and 15 seconds (decisions, section
 * 6).
 */
const PAUSES = [1000, 4000, 10_000];

/** Number of callbacks sent at once, so that one unreachable receiver does not delay all others. */
const AT_ONCE = 4;

/** The pauses after failures of the database. */
const BACKOFF = { initial: 1000, max: 60_000 };

/**
 * Sends the final records of jobs to their callback URLs. Due callbacks are stored in the database, so they survive a
 * restart. If a delivery could not be recorded, the record is sent again with the same `X-SVC-Delivery`.
 */
export function createCallbacks(deps: CallbackDeps): Loop {
  const send = poster(deps.outbound);
  let restMs = 0;
  return new Loop({
    name: 'callbacks of jobs',
    everyMs: () => restMs,
    backoff: BACKOFF,
    timer: deps.timer,
    log: deps.log,
    failure: 'the callbacks of bulk ingest jobs could not be sent; they are tried again',
  }, async (signal) => {
    restMs = await step(deps, send, signal);
  });
}

type Send = ReturnType<typeof poster>;

/** Returns the milliseconds until the next step. */
async function step(deps: CallbackDeps, send: Send, signal: AbortSignal): Promise<number> {
  const { sql, clock } = deps;
  const waiting = await sql.all<JobRow>(
    'SELECT * FROM bulk_jobs WHERE callback_due IS NOT NULL ORDER BY callback_due LIMIT ?',
    [AT_ONCE],
  );
  const due = waiting.filter((job) => job.callback_due! <= clock.now());
  if (due.length === 0) return waiting[0] === undefined ? Infinity : waiting[0].callback_due! - clock.now();
  await Promise.all(due.map((job) => attempt(deps, send, job, signal)));
  return 0;
}

async function attempt(deps: CallbackDeps, send: Send, job: JobRow, signal: AbortSignal): Promise<void> {
  const { sql, clock, log } = deps;
  const outcome = await send(post(deps, job), signal);
  if (outcome.kind !== 'delivered' && signal.aborted) return;
  // A permanent refusal ends the attempts.
  const pause = outcome.kind === 'failed' ? PAUSES[job.callback_attempts] : undefined;
  if (outcome.kind !== 'delivered')
    log.warn({
      job: job.id,
      attempt: job.callback_attempts + 1,
      reason: outcome.error,
      retryMs: pause,
    }, 'the callback of a bulk ingest job failed');
  await sql.transaction((tx) =>
    tx.run('UPDATE bulk_jobs SET callback_attempts = callback_attempts + 1, callback_due = ? WHERE seq = ? AND id = ?',
      [pause === undefined ? null : clock.now() + pause, job.seq, job.id])
  );
}

/** One attempt; with a secret it is signed like the deliveries of webhooks (decisions, section 6). */
function post({ clock, keys, secret, version }: CallbackDeps, job: JobRow): Post {
  const timestamp = Math.floor(clock.now() / 1000);
  const body = new TextEncoder().encode(JSON.stringify(toRecord(job, keys)));
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': `svc-webhook/${version}`,
    'X-SVC-Event': 'bulk-ingest.ended',
    'X-SVC-Delivery': job.id,
    'X-SVC-Timestamp': String(timestamp),
    ...signatureHeaders(secret, { id: job.id, timestamp, body }),
  };
  return { url: callbackUrlOf(job, keys), headers, body };
}
