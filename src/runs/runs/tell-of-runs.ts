import type { Log } from '../../lib/log.ts';
import type { RunChange } from '../queue/port.ts';

/** Reasons why a run waits again under the number that its attempt had: nothing of it was lost. */
const HARMLESS: ReadonlySet<string> = new Set(['returned', 'rejected', 'not_accepted']);

/** One line of the server's log for what operators look for: leases that are lost, and attempts that are made again. */
export function tellOfRuns(log: Log, { run, from, formerShipId, reason = 'unknown' }: RunChange): void {
  const { id, projectId, attempt } = run;
  if (reason === 'lease_lost') log.warn({ run: id, project: projectId, ship: formerShipId, state: run.state }, 'the lease of a run is lost');
  if (run.state !== 'queued' || from === null) return;
  const fields = { run: id, project: projectId, attempt, reason, ship: formerShipId };
  if (run.availableMs > 0) log.info(fields, 'a run is tried again');
  else if (HARMLESS.has(reason)) log.debug(fields, 'a run waits for another ship');
}
