import type { Transaction } from '../../storage/index.ts';
import { type Core, settings, timeoutMarginMs } from './core.ts';
import type { RunRef } from './port.ts';
import { HeldUpdate, readHeld, type RunRow } from './run-rows.ts';
import { cancelled, sameAttempt, takeFromShip } from './transitions.ts';

/** A cancelling run keeps its deadline. */
export const ACCEPT = new HeldUpdate(
  "accepted = 1, deadline_ms = CASE WHEN state = 'cancelling' OR accepted = 1 THEN deadline_ms ELSE timeout_ms + ? END",
);

/** A ship works on an assignment. */
export interface Acceptance {
  readonly ref: RunRef;
  readonly shipId: string;
}

/** The ships work on them: the time limits of the attempts start. */
export async function acceptAll(core: Core, tx: Transaction,
  acceptances: readonly Acceptance[]): Promise<('accepted' | 'fenced')[]>
{
  const held = await ACCEPT.run(tx, [core.time.now() + timeoutMarginMs(core)], acceptances);
  return held.map((is) => (is ? 'accepted' : 'fenced'));
}

/** Row 12. */
export async function reject(core: Core, tx: Transaction, ref: RunRef, shipId: string,
  reason: string): Promise<RunRow | undefined>
{
  const row = await readHeld(tx, ref, shipId);
  if (row !== undefined)
    await giveBack(core, tx, row, 'rejected', `${core.nameShip(shipId)} did not take it (${reason})`);
  return row;
}

export const HELD_BY_SHIP =
  "SELECT * FROM runs WHERE ship_id = ? AND state IN ('running', 'cancelling') ORDER BY seq FOR UPDATE";

type Held = { readonly ref: RunRef; readonly finished: boolean };
type Action = { readonly ref: RunRef; readonly action: 'continue' | 'stop' | 'discard' };

/** A ship has connected: the runs that it holds continue, and those that it has lost are queued again. */
export async function resume(core: Core, tx: Transaction, shipId: string, held: readonly Held[]): Promise<Action[]> {
  const lost = new Map((await tx.all<RunRow>(HELD_BY_SHIP, [shipId])).map((row) => [row.id, row]));
  const actions: Action[] = [];
  for (const { ref } of held) {
    const row = lost.get(ref.runId);
    if (row === undefined || row.fence !== ref.fence || row.attempt !== ref.attempt) {
      actions.push({ ref, action: 'discard' });
      continue;
    }
    lost.delete(ref.runId);
    await continueWith(core, tx, row);
    actions.push({ ref, action: row.state === 'cancelling' ? 'stop' : 'continue' });
  }
  for (const row of lost.values()) await lose(core, tx, row);
  return actions;
}

/** Rows 7, 8 and 11 for all runs of a ship that is revoked. */
export async function evict(core: Core, tx: Transaction, shipId: string): Promise<void> {
  for (const row of await tx.all<RunRow>(HELD_BY_SHIP, [shipId])) {
    await takeFromShip(core, tx, row, { code: 'ship_revoked', message: 'the ship was revoked' }, {
      outcome: 'ship_revoked',
      reported: false,
    });
  }
}

/** An attempt that no ship works on is queued again under the same number; a cancelling one ends. */
export async function giveBack(core: Core, tx: Transaction, row: RunRow, reason: 'rejected' | 'not_accepted',
  why: string): Promise<void>
{
  const ending = { outcome: reason, reported: false };
  if (row.state === 'cancelling') await cancelled(core, tx, row, why, ending);
  else await sameAttempt(core, tx, row, reason, why, ending);
}

async function continueWith(core: Core, tx: Transaction, row: RunRow): Promise<void> {
  const now = core.time.now();
  await tx.run('UPDATE runs SET lease_ms = ?, renewed_ms = ? WHERE seq = ?', [now + settings(core).queue.lease_ttl, now,
    row.seq]);
  if (row.accepted === 0) await markAccepted(core, tx, row);
}

async function lose(core: Core, tx: Transaction, row: RunRow): Promise<void> {
  if (row.accepted === 0) return giveBack(core, tx, row, 'not_accepted', 'it never reached its ship');
  await takeFromShip(core, tx, row, { code: 'lease_lost', message: 'the ship restarted and no longer has it' }, {
    outcome: 'lease_lost',
    reported: false,
  });
}

async function markAccepted(core: Core, tx: Transaction, row: RunRow): Promise<void> {
  // A cancelling run keeps its deadline.
  const deadline = row.state === 'cancelling'
    ? row.deadline_ms
    : core.time.now() + row.timeout_ms + timeoutMarginMs(core);
  await tx.run('UPDATE runs SET accepted = 1, deadline_ms = ? WHERE seq = ?', [deadline, row.seq]);
}
