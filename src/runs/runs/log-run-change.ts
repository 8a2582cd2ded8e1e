import type { Log } from '../../lib/log.ts';
import type { RunChange } from '../queue/port.ts';

/** Reasons for which a run waits again under the same attempt number: no work was lost. */
const HARMLESS: ReadonlySet<string> = new Set(['returned', 'rejected', 'not_accepted']);

/** One line of the server's log for events that operators look for: lost leases and repeated attempts. */
export function logRunChange(log: Log, { run, from, formerShipId, reason = 'unknown' }: RunChange): void {
  const { id, projectId, attempt } = run;
  if (reason === 'lease_lost')
    log.warn({ run: id, project: projectId, ship: formerShipId, state: run.state }, 'the lease of a run is lost');
  if (run.state !== 'queued' || from === null) return;
  const fields = { run: id, project: projectId, attempt, reason, ship: formerShipId };
  if (reason === 'approval') log.info(fields, 'a run waits for an approval');
  else if (run.availableMs > 0) log.info(fields, 'a run is tried again');
  else if (HARMLESS.has(reason)) log.debug(fields, 'a run waits for another ship');
}
