import type { Operations } from '../../../../generated/docs/operations.ts';
import type { Role } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Queries, Row, SqlValue, Transaction } from '../../../storage/index.ts';
import { type Grant, writeGrant } from '../grants.ts';
import { listUsers } from '../user-rows.ts';
import { type AccessStore, MAX_ROLES, notFound, requireAdmin, requireRoom, requireUser, write } from '../write.ts';
import { requireGroup, toGroup } from './groups.ts';
import { toUser } from './users.ts';

interface StoredRole {
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
type RoleHolder = 'user' | 'group';

const HOLDERS = {
  user: { table: 'user_roles', column: 'username' },
  group: { table: 'group_roles', column: 'group_name' },
} as const;

/** All roles by name, or one of them. */
async function listRoles(queries: Queries, name?: string): Promise<StoredRole[]> {
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

async function countRoles(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM roles'))!.n;
}

/** Stores a role in place of the existing one of that name. */
async function writeRole(tx: Transaction,
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
async function removeRole(tx: Transaction, name: string): Promise<void> {
  for (const table of ['role_permissions', 'user_roles', 'group_roles'])
    await tx.run(`DELETE FROM ${table} WHERE role_name = ?`, [name]);
  await tx.run('DELETE FROM roles WHERE name = ?', [name]);
}

/** Replaces the roles that a user or a group holds. */
async function writeHeldRoles(tx: Transaction, holder: RoleHolder, name: string,
  roles: readonly string[]): Promise<void>
{
  const { table, column } = HOLDERS[holder];
  await tx.run(`DELETE FROM ${table} WHERE ${column} = ?`, [name]);
  await tx.runMany(`INSERT INTO ${table}(${column}, role_name) VALUES (?, ?)`, roles.map((role) => [name, role]));
}

type RoleHandlers = Required<
  Pick<Handlers<Operations>, 'listRoles' | 'setRole' | 'deleteRole' | 'setUserRoles' | 'setGroupRoles'>
>;

const LOSE_ROLE = 'lose the role that makes one';

export function roleHandlers(deps: AccessStore): RoleHandlers {
  const { sql } = deps;
  return {
    async listRoles() {
      return { roles: (await listRoles(sql)).map(toRole) };
    },
    setRole: ({ name, description, permissions }, context) =>
      write(deps, { kind: 'role.put', key: name, by: context }, async (tx) => {
        const [known] = await listRoles(tx, name);
        if (known === undefined) requireRoom(await countRoles(tx), MAX_ROLES, 'roles');
        else requireChangeable(known);
        await writeRole(tx, { name, description, permissions: permissions.map(toGrant) });
        await requireAdmin(tx, LOSE_ROLE);
        return toRole((await listRoles(tx, name))[0]!);
      }),
    async deleteRole({ name }, context) {
      await write(deps, { kind: 'role.delete', key: name, by: context }, async (tx) => {
        requireChangeable(await requireRole(tx, name));
        await removeRole(tx, name);
        await requireAdmin(tx, LOSE_ROLE);
      });
      return { status: 'deleted', name };
    },
    setUserRoles: ({ username, roles }, context) =>
      write(deps, { kind: 'user-role.put', key: username, by: context }, async (tx) => {
        await requireUser(tx, username);
        await hold(tx, 'user', username, roles);
        return toUser((await listUsers(tx, username))[0]!);
      }),
    setGroupRoles: ({ name, roles }, context) =>
      write(deps, { kind: 'group-role.put', key: name, by: context }, async (tx) => {
        await requireGroup(tx, name);
        await hold(tx, 'group', name, roles);
        return toGroup(await requireGroup(tx, name));
      }),
  };
}

async function hold(tx: Transaction, holder: RoleHolder, name: string, given: readonly string[]): Promise<void> {
  const roles = [...new Set(given)];
  for (const role of roles) await requireRole(tx, role);
  await writeHeldRoles(tx, holder, name, roles);
  await requireAdmin(tx, LOSE_ROLE);
}

/** Throws `not_found`. */
async function requireRole(queries: Queries, name: string): Promise<StoredRole> {
  const [role] = await listRoles(queries, name);
  if (role === undefined) throw notFound(`role ${name}`);
  return role;
}

function requireChangeable({ name, builtIn }: StoredRole): void {
  if (builtIn)
    throw new ServiceError('invalid_argument', `the role ${name} is built in and can't be changed; make another`);
}

function toGrant(
  { collection, read, write: mayWrite, admin }: { readonly collection: string; readonly read?: boolean;
    readonly write?: boolean; readonly admin?: boolean },
): Grant {
  return { collection: collection.toLowerCase(), read: read === true, write: mayWrite === true, admin: admin === true };
}

function toRole({ name, description, builtIn, permissions }: StoredRole): Role {
  return { name, description, builtIn, permissions: permissions.map((grant) => ({ ...grant })) };
}
