import type { Queries, Row, SqlValue, Transaction } from '../../../storage/index.ts';
import type { Grant } from '../grants.ts';
import { writeGrant } from './grant-rows.ts';

export interface StoredRole {
  readonly name: string;
  readonly description: string;
  /** Whether the role is built in and cannot be changed. */
  readonly builtIn: boolean;
  /** By collection. */
  readonly permissions: readonly Grant[];
}

interface RoleRow extends Row {
  readonly name: string;
  readonly description: string;
  readonly built_in: number;
}

interface PermissionRow extends Row {
  readonly role_name: string;
  readonly collection: string;
  readonly may_read: number;
  readonly may_write: number;
  readonly may_admin: number;
}

/** The kind of holder of a role: users or groups. */
export type RoleHolder = 'user' | 'group';

const HOLDERS = {
  user: { table: 'user_roles', column: 'username' },
  group: { table: 'group_roles', column: 'group_name' },
} as const;

/** All roles by name, or one of them. */
export async function listRoles(queries: Queries, name?: string): Promise<StoredRole[]> {
  const [of, params]: [(column: string) => string, SqlValue[]] = name === undefined
    ? [() => '', []]
    : [(column) => `WHERE ${column} = ?`, [name]];
  const rows = await queries.all<RoleRow>(`SELECT name, description, built_in FROM roles ${of('name')} ORDER BY name`,
    params);
  const granted = await queries.all<PermissionRow>(
    `SELECT role_name, collection, may_read, may_write, may_admin FROM role_permissions ${
      of('role_name')
    } ORDER BY collection`,
    params,
  );
  const permissions = Map.groupBy(granted, ({ role_name }) => role_name);
  return rows.map((row) => ({
    name: row.name,
    description: row.description,
    builtIn: row.built_in === 1,
    permissions: permissions.get(row.name)?.map((each) => ({
      collection: each.collection,
      read: each.may_read === 1,
      write: each.may_write === 1,
      admin: each.may_admin === 1,
    })) ?? [],
  }));
}

export async function countRoles(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM roles'))!.n;
}

/** Stores a role in place of the existing one of that name. */
export async function writeRole(tx: Transaction,
  { name, description, permissions }: Omit<StoredRole, 'builtIn'>): Promise<void>
{
  await tx.run(
    'INSERT INTO roles(name, description, built_in) VALUES (?, ?, 0) ON CONFLICT(name) DO UPDATE SET description ' +
      '= excluded.description',
    [name, description],
  );
  await tx.run('DELETE FROM role_permissions WHERE role_name = ?', [name]);
  for (const grant of permissions) await writeGrant(tx, 'role', name, grant);
}

/** Also removes the role from all its holders. */
export async function removeRole(tx: Transaction, name: string): Promise<void> {
  for (const table of ['role_permissions', 'user_roles', 'group_roles'])
    await tx.run(`DELETE FROM ${table} WHERE role_name = ?`, [name]);
  await tx.run('DELETE FROM roles WHERE name = ?', [name]);
}

/** Replaces the roles that a user or a group holds. */
export async function writeHeldRoles(tx: Transaction, holder: RoleHolder, name: string,
  roles: readonly string[]): Promise<void>
{
  const { table, column } = HOLDERS[holder];
  await tx.run(`DELETE FROM ${table} WHERE ${column} = ?`, [name]);
  await tx.runMany(`INSERT INTO ${table}(${column}, role_name) VALUES (?, ?)`, roles.map((role) => [name, role]));
}
