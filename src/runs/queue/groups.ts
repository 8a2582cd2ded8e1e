import type { Row, Transaction } from '../../storage/index.ts';
import { readyToStart, releaseCells } from './cells.ts';
import type { Core } from './core.ts';
import { isFinished, readById, type RunRow } from './run-rows.ts';

/*
 * Groups in which only one run at a time is under way (`concurrency` of a pipeline). The run that has a group is its
 * holder, from the moment it may be assigned until it has finished, over all its attempts; the others wait for it. Code
 * that takes a group, passes it on or starts to wait for it must lock its row first, so that several servers agree.
 */

export const NEXT_OF_GROUP =
  "SELECT seq, id, lane_id, cells FROM runs WHERE concurrency_group = ? AND state = 'queued' AND waits_for = " +
  "'concurrency_group' ORDER BY priority DESC, seq LIMIT 1";

/** Returns the holder of the group; if it had none, this run becomes the holder. Locks the group. */
export async function takeGroup(tx: Transaction, group: string, runId: string): Promise<string> {
  for (;;) {
    const { changes } = await tx.run(
      'INSERT INTO concurrency_groups(name, holder) VALUES (?, ?) ON CONFLICT(name) DO NOTHING',
      [group, runId],
    );
    if (changes === 1) return runId;
    const locked = await tx.run('UPDATE concurrency_groups SET holder = holder WHERE name = ?', [group]);
    // Otherwise it was released meanwhile.
    if (locked.changes === 1)
      return (await tx.get<{ holder: string }>('SELECT holder FROM concurrency_groups WHERE name = ?', [group]))!
        .holder;
  }
}

/** A run has finished: the next one of its group may be assigned. */
export async function leaveGroup(core: Core, tx: Transaction, { id, concurrency_group: group }: RunRow): Promise<void> {
  if (group !== null && await lock(tx, group, id)) await passOn(core, tx, group);
}

/** At the start: passes on each group whose holder has finished under a build that did not support groups. */
export async function repairGroups(core: Core): Promise<void> {
  await core.env.sql.transaction(async (tx) => {
    for (const { name, holder } of await tx.all<{ name: string; holder: string }>(
      'SELECT name, holder FROM concurrency_groups',
    )) {
      const row = await readById(tx, holder);
      if ((row === undefined || isFinished(row)) && await lock(tx, name, holder)) await passOn(core, tx, name);
    }
  });
}

async function lock(tx: Transaction, group: string, holder: string): Promise<boolean> {
  return (await tx.run('UPDATE concurrency_groups SET holder = holder WHERE name = ? AND holder = ?', [group, holder]))
    .changes === 1;
}

interface NextRun extends Row {
  readonly seq: number;
  readonly id: string;
  readonly lane_id: number;
  readonly cells: number;
}

/** Allows the next waiting run to be assigned. */
async function admitNext(core: Core, tx: Transaction, group: string): Promise<NextRun | undefined> {
  for (;;) {
    const next = await tx.get<NextRun>(NEXT_OF_GROUP, [group]);
    if (next === undefined) return undefined;
    // From now on it waits for a ship.
    const { changes } = await tx.run(
      "UPDATE runs SET waits_for = ?, queued_ms = ? WHERE seq = ? AND state = 'queued' AND waits_for = " +
        "'concurrency_group'",
      [readyToStart(next), core.time.now(), next.seq],
    );
    if (changes === 1) return next; // otherwise it was cancelled meanwhile
  }
}

async function passOn(core: Core, tx: Transaction, group: string): Promise<void> {
  const next = await admitNext(core, tx, group);
  if (next === undefined) {
    await tx.run('DELETE FROM concurrency_groups WHERE name = ?', [group]);
    return;
  }
  await tx.run('UPDATE concurrency_groups SET holder = ? WHERE name = ?', [next.id, group]);
  if (next.cells > 0) return releaseCells(core, tx, next);
  tx.onCommit(() => {
    core.lanes.filled(next.lane_id);
    core.wake();
  });
}
