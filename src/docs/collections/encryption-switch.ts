import { type Queries, SWITCH_PREFIX as PREFIX, type Transaction } from '../../storage/index.ts';

/** Unfinished work for a collection whose encryption was switched. */
export interface PendingSwitch {
  /** Lowercased name. */
  readonly collection: string;
  /**
   * `seal` or `open`: encrypt or decrypt the values that were stored before. `reseal`: continue to encrypt after some
   * values were encrypted. Then `scrub`: remove from the file what that has left.
   */
  readonly step: 'seal' | 'reseal' | 'open' | 'scrub';
}

/** Stores the work in the transaction that switches, so that it survives a crash. */
export function markSwitch(tx: Transaction, collection: string, encrypted: boolean): Promise<void> {
  return note(tx, collection, encrypted ? 'seal' : 'open');
}

/** The unfinished switches, by name of the collection. */
export async function readSwitches(queries: Queries): Promise<PendingSwitch[]> {
  const rows = await queries.all<{ name: string; value: string }>(
    'SELECT name, value FROM settings WHERE name >= ? AND name < ? ORDER BY name',
    [PREFIX, `${PREFIX.slice(0, -1)};`],
  );
  return rows.map(({ name, value }) => ({
    collection: name.slice(PREFIX.length),
    step: value as PendingSwitch['step'],
  }));
}

/** Records that a step is done, and the next step, unless another switch happened meanwhile. */
export async function endSwitch(tx: Transaction, { collection, step }: PendingSwitch,
  next?: PendingSwitch['step']): Promise<void>
{
  const name = PREFIX + collection;
  if (next === undefined) await tx.run('DELETE FROM settings WHERE name = ? AND value = ?', [name, step]);
  else await tx.run('UPDATE settings SET value = ? WHERE name = ? AND value = ?', [next, name, step]);
}

async function note(tx: Transaction, collection: string, step: PendingSwitch['step']): Promise<void> {
  await tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value',
    [PREFIX + collection, step]);
}
