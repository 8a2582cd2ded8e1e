import { formatDuration } from '../../lib/duration.ts';
import type { Transaction } from '../../storage/index.ts';
import { expire } from './approvals.ts';
import { type Core, settings } from './core.ts';
import { giveBack } from './holding.ts';
import type { RunRecord } from './port.ts';
import type { RunRow } from './run-rows.ts';
import { cancelled, failed, failureOf, nextAttempt, takeFromShip } from './transitions.ts';

/** Runs that are processed together: each in a transaction of its own, all with one commit. */
const BATCH = 50;

interface Due {
  /** With the time up to which it is due. */
  readonly where: string;
  readonly by: string;
}

export const DUE = {
  pauses: { where: "state = 'queued' AND waits_for = 'backoff' AND available_ms <= ?", by: 'available_ms' },
  leases: { where: "state IN ('running', 'cancelling') AND lease_ms <= ?", by: 'lease_ms' },
  deadlines: { where: "state IN ('running', 'cancelling') AND deadline_ms <= ?", by: 'deadline_ms' },
  approvals: { where: "state = 'queued' AND waits_for = 'approval' AND available_ms <= ?", by: 'available_ms' },
  waits: {
    where: "state = 'queued' AND waits_for NOT IN ('approval', 'matrix', 'needs') AND queued_ms <= ?",
    by: 'queued_ms',
  },
} as const satisfies Record<string, Due>;

/** The runs that have been due for longest. */
export const dueQuery = ({ where, by }: Due): string => `SELECT seq FROM runs WHERE ${where} ORDER BY ${by} LIMIT ?`;

/** Ends everything whose time is over: pauses, approvals, leases, deadlines, waits that took too long. */
export async function reap(core: Core, signal?: AbortSignal): Promise<void> {
  const now = (): number => core.time.now();
  await each(core, DUE.pauses, now, endPause, signal);
  await each(core, DUE.approvals, now, expire, signal);
  await each(core, DUE.leases, now, endLease, signal);
  await each(core, DUE.deadlines, now, endDeadline, signal);
  await each(core, DUE.waits, () => now() - settings(core).queue.queue_timeout, endWait, signal);
}

type Work = (core: Core, tx: Transaction, row: RunRow) => Promise<unknown>;

/** A run that cannot be processed does not block others; the next tick tries it again. */
async function each(core: Core, due: Due, until: () => number, work: Work,
  signal: AbortSignal | undefined): Promise<void>
{
  const { sql, log } = core.env;
  while (!signal?.aborted && !core.outage.isOn) {
    const rows = await sql.all<{ seq: number }>(dueQuery(due), [until(), BATCH]);
    const results = await Promise.allSettled(rows.map(({ seq }) =>
      sql.transaction(async (tx) => {
        const row = await tx.get<RunRow>(`SELECT * FROM runs WHERE seq = ? AND ${due.where} FOR UPDATE`, [seq,
          until()]);
        // otherwise it was renewed or ended meanwhile
        if (row !== undefined && !core.outage.isOn) await work(core, tx, row);
      })
    ));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failures.length > 0 && !core.outage.isOn)
      log.error({ error: failures[0], runs: failures.length }, 'runs whose time has come could not be dealt with');
    if (rows.length < BATCH || failures.length > 0) return;
  }
}

/** Not a change of the run, which has been queued all the time. */
async function endPause(core: Core, tx: Transaction, row: RunRow): Promise<void> {
  await tx.run("UPDATE runs SET waits_for = 'ship', available_ms = 0 WHERE seq = ?", [row.seq]);
  tx.onCommit(() => {
    core.lanes.filled(row.lane_id);
    core.wake();
  });
}

function endLease(core: Core, tx: Transaction, row: RunRow): Promise<RunRecord> {
  const message = `${core.nameShip(row.ship_id ?? '')} gave no sign of life for ${
    formatDuration(settings(core).queue.lease_ttl)
  }`;
  return takeFromShip(core, tx, row, { code: 'lease_lost', message }, { outcome: 'lease_lost', reported: false });
}

async function endDeadline(core: Core, tx: Transaction, row: RunRow): Promise<void> {
  if (row.state === 'cancelling')
    await cancelled(core, tx, row, 'its ship did not stop it in time', { outcome: 'cancelled', reported: false });
  else if (row.accepted === 0)
    await giveBack(core, tx, row, 'not_accepted', `${core.nameShip(row.ship_id ?? '')} did not take it in time`);
  else await endTimeout(core, tx, row);
}

/** The fallback for ships that do not enforce the time limit of an attempt themselves. */
async function endTimeout(core: Core, tx: Transaction, row: RunRow): Promise<void> {
  const failure = failureOf(row, {
    code: 'timeout',
    message: `the attempt took longer than ${formatDuration(row.timeout_ms)}`,
  });
  const ending = { outcome: 'timed_out', reported: false };
  const { retryOn } = await core.definitions.ofRun(tx, row.seq);
  const again = retryOn.includes('timeout') && row.attempt < row.max_attempts;
  if (again) await nextAttempt(core, tx, row, failure, ending);
  else await failed(core, tx, row, failure, ending);
}

function endWait(core: Core, tx: Transaction, row: RunRow): Promise<RunRecord> {
  const message = `no ship took the run within ${formatDuration(settings(core).queue.queue_timeout)}`;
  return failed(core, tx, row, failureOf(row, { code: 'queue_timeout', message, retryable: true }), {
    outcome: 'queue_timeout',
    reported: false,
  });
}
