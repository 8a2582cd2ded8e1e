import { randomBytes } from 'node:crypto';
import type { Queries, Sql, Transaction } from '../../storage/index.ts';

export type Role = '' | 'leader' | 'follower';

/**
 * The position of a binlog: the number of entries in its history, and the checksum of the last one, which depends on
 * all before it.
 */
export interface Place {
  /** Random; a new one if earlier replication is no longer valid, as after a restore. */
  readonly history: string;
  readonly position: number;
  readonly checksum: number;
}

/** The row of table `replication`. */
export interface ReplicationState extends Place {
  /** The last role with which the database was opened. */
  readonly role: Role;
  /** Rises with each promotion: of two leaders, the one with the lower epoch is outdated. */
  readonly epoch: number;
  /** Epoch of the leader that replaced this one; 0 while none has. */
  readonly fencedBy: number;
}

interface StateRow {
  readonly [column: string]: string | number;
  readonly role: Role;
  readonly history: string;
  readonly position: number;
  readonly checksum: number;
  readonly epoch: number;
  readonly fenced_by: number;
}

const UPSERT = `
  INSERT INTO replication(id, role, history, position, checksum, epoch, fenced_by) VALUES (1, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(id) DO UPDATE SET role = excluded.role, history = excluded.history, position = excluded.position,
    checksum = excluded.checksum, epoch = excluded.epoch, fenced_by = excluded.fenced_by`;

const newHistory = (): string => randomBytes(16).toString('hex');

/** Undefined in a database that was never opened by a build with replication. */
export async function readState(queries: Queries): Promise<ReplicationState | undefined> {
  const row = await queries.get<StateRow>(
    'SELECT role, history, position, checksum, epoch, fenced_by FROM replication',
  );
  return row && {
    role: row.role,
    history: row.history,
    position: row.position,
    checksum: row.checksum,
    epoch: row.epoch,
    fencedBy: row.fenced_by,
  };
}

export async function writeState(tx: Transaction,
  { role, history, position, checksum, epoch, fencedBy }: ReplicationState): Promise<void>
{
  await tx.run(UPSERT, [role, history, position, checksum, epoch, fencedBy]);
}

/**
 * The state with which a node with a role continues. Writes of a node without a role are in no binlog, so a leader
 * starts a new history after them. A follower that is started as the leader is promoted: it continues its history under
 * a higher epoch. A node becomes a follower only when a leader has accepted it (`writeState`): until then its earlier
 * state is kept.
 */
function stateFor(role: Role, found: ReplicationState | undefined): ReplicationState {
  const before = found ?? { role: '', history: newHistory(), position: 0, checksum: 0, epoch: 0, fencedBy: 0 };
  if (role === 'follower') return before;
  if (role === '') return { ...before, role };
  if (before.role === 'leader') return before;
  if (before.role === 'follower') return { ...before, role, epoch: before.epoch + 1, fencedBy: 0 };
  return { ...before, role, history: newHistory(), epoch: Math.max(1, before.epoch) };
}

/** Reads the state, and stores the state that results from the role. */
export async function openState(sql: Sql,
  role: Role): Promise<{ before: ReplicationState | undefined; state: ReplicationState }>
{
  const before = await readState(sql);
  const state = stateFor(role, before);
  // A node that never replicates need not write its state.
  if ((before !== undefined || role !== '') && !isSame(before, state))
    await sql.transaction((tx) => writeState(tx, state));
  return { before, state };
}

function isSame(a: ReplicationState | undefined, b: ReplicationState): boolean {
  return a !== undefined && a.role === b.role && a.history === b.history && a.epoch === b.epoch &&
    a.fencedBy === b.fencedBy;
}

/**
 * For a copy of a database that will replace the one with this state: followers must take a new snapshot, and a fence
 * remains.
 */
export async function beginHistory(tx: Transaction, live: ReplicationState | undefined): Promise<void> {
  const own = await readState(tx);
  if (live === undefined && own === undefined) return;
  const { role, epoch, fencedBy } = live ?? { role: '' as const, epoch: 0, fencedBy: 0 };
  await writeState(tx, {
    role,
    history: newHistory(),
    position: 0,
    checksum: 0,
    epoch: Math.max(epoch, own?.epoch ?? 0),
    fencedBy,
  });
}
