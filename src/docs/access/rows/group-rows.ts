import type { Queries, Row, SqlValue, Transaction } from '../../../storage/index.ts';

export interface StoredGroup {
  readonly name: string;
  readonly description: string;
  /** In the order in which they were given. */
  readonly members: readonly string[];
  /** The roles that the members hold through the group. */
  readonly roles: readonly string[];
  /** Unix seconds. */
  readonly createdAt: number;
}

interface GroupRow extends Row {
  readonly name: string;
  readonly description: string;
  readonly created_at: number;
}

/** All groups by name, or one of them. */
export async function listGroups(queries: Queries, name?: string): Promise<StoredGroup[]> {
  const [of, params]: [(column: string) => string, SqlValue[]] = name === undefined
    ? [() => '', []]
    : [(column) => `WHERE ${column} = ?`, [name]];
  const rows = await queries.all<GroupRow>(
    `SELECT name, description, created_at FROM user_groups ${of('name')} ORDER BY name`,
    params,
  );
  const memberships = await queries.all<{ group_name: string; username: string }>(
    `SELECT group_name, username FROM group_members ${of('group_name')} ORDER BY seq`,
    params,
  );
  const members = Map.groupBy(memberships, ({ group_name }) => group_name);
  const held = await queries.all<{ group_name: string; role_name: string }>(
    `SELECT group_name, role_name FROM group_roles ${of('group_name')} ORDER BY role_name`,
    params,
  );
  const roles = Map.groupBy(held, ({ group_name }) => group_name);
  return rows.map((row) => ({
    name: row.name,
    description: row.description,
    createdAt: row.created_at,
    members: members.get(row.name)?.map(({ username }) => username) ?? [],
    roles: roles.get(row.name)?.map(({ role_name }) => role_name) ?? [],
  }));
}

export async function hasGroup(queries: Queries, name: string): Promise<boolean> {
  return (await queries.get('SELECT 1 AS found FROM user_groups WHERE name = ?', [name])) !== undefined;
}

export async function countGroups(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM user_groups'))!.n;
}

/** Stores a group in place of the existing one of that name, keeping its creation time and its roles. */
export async function writeGroup(tx: Transaction,
  { name, description, members, createdAt }: Omit<StoredGroup, 'roles'>): Promise<void>
{
  await tx.run(`INSERT INTO user_groups(name, description, created_at) VALUES (?, ?, ?)
     ON CONFLICT(name) DO UPDATE SET description = excluded.description`, [name, description, createdAt]);
  await tx.run('DELETE FROM group_members WHERE group_name = ?', [name]);
  await tx.runMany('INSERT INTO group_members(group_name, username) VALUES (?, ?)',
    members.map((username) => [name, username]));
}

/** Deletes a group with its permissions and memberships. Returns whether it existed. */
export async function removeGroup(tx: Transaction, name: string): Promise<boolean> {
  await tx.run('DELETE FROM group_members WHERE group_name = ?', [name]);
  await tx.run('DELETE FROM group_permissions WHERE group_name = ?', [name]);
  await tx.run('DELETE FROM group_roles WHERE group_name = ?', [name]);
  return (await tx.run('DELETE FROM user_groups WHERE name = ?', [name])).changes > 0;
}
