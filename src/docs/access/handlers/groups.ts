import type { Operations } from '../../../../generated/docs/operations.ts';
import type { Group } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Queries, Row, SqlValue, Transaction } from '../../../storage/index.ts';
import { type AccessStore, MAX_GROUPS, notFound, requireAdmin, requireRoom, write } from '../write.ts';

interface StoredGroup {
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
async function listGroups(queries: Queries, name?: string): Promise<StoredGroup[]> {
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

async function countGroups(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM user_groups'))!.n;
}

/** Stores a group in place of the existing one of that name, keeping its creation time and its roles. */
async function writeGroup(tx: Transaction,
  { name, description, members, createdAt }: Omit<StoredGroup, 'roles'>): Promise<void>
{
  await tx.run(`INSERT INTO user_groups(name, description, created_at) VALUES (?, ?, ?)
     ON CONFLICT(name) DO UPDATE SET description = excluded.description`, [name, description, createdAt]);
  await tx.run('DELETE FROM group_members WHERE group_name = ?', [name]);
  await tx.runMany('INSERT INTO group_members(group_name, username) VALUES (?, ?)',
    members.map((username) => [name, username]));
}

/** Deletes a group with its permissions and memberships. Returns whether it existed. */
async function removeGroup(tx: Transaction, name: string): Promise<boolean> {
  await tx.run('DELETE FROM group_members WHERE group_name = ?', [name]);
  await tx.run('DELETE FROM group_permissions WHERE group_name = ?', [name]);
  await tx.run('DELETE FROM group_roles WHERE group_name = ?', [name]);
  return (await tx.run('DELETE FROM user_groups WHERE name = ?', [name])).changes > 0;
}

type GroupHandlers = Required<
  Pick<Handlers<Operations>, 'listGroups' | 'createGroup' | 'getGroup' | 'updateGroup' | 'deleteGroup'>
>;

export function groupHandlers(deps: AccessStore): GroupHandlers {
  const { sql, clock } = deps;
  return {
    async listGroups() {
      return { groups: (await listGroups(sql)).map(toGroup) };
    },
    createGroup: ({ name, description, members }, context) =>
      write(deps, { kind: 'group.put', key: name, by: context }, async (tx) => {
        if (await hasGroup(tx, name)) throw new ServiceError('conflict', 'group already exists');
        requireRoom(await countGroups(tx), MAX_GROUPS, 'groups');
        return store(tx, { name, description, members: distinct(members), createdAt: unixSeconds(clock), roles: [] });
      }),
    getGroup: async ({ name }) => toGroup(await requireGroup(sql, name)),
    updateGroup: ({ name, description, members }, context) =>
      write(deps, { kind: 'group.put', key: name, by: context }, async (tx) => {
        const { createdAt, roles } = await requireGroup(tx, name);
        const group = await store(tx, { name, description, members: distinct(members), createdAt, roles });
        await requireAdmin(tx, 'be taken out of the group');
        return group;
      }),
    async deleteGroup({ name }, context) {
      await write(deps, { kind: 'group.delete', key: name, by: context }, async (tx) => {
        if (!(await removeGroup(tx, name))) throw notFound(`group ${name}`);
        await requireAdmin(tx, 'lose the group that makes one');
      });
      return { status: 'deleted', name };
    },
  };
}

/** Throws `not_found`. */
export async function requireGroup(queries: Queries, name: string): Promise<StoredGroup> {
  const [group] = await listGroups(queries, name);
  if (group === undefined) throw notFound(`group ${name}`);
  return group;
}

async function store(tx: Transaction, group: StoredGroup): Promise<Group> {
  await writeGroup(tx, group);
  return toGroup(group);
}

function distinct(members: readonly string[]): string[] {
  return [...new Set(members)];
}

export function toGroup({ name, description, members, createdAt, roles }: StoredGroup): Group {
  return { name, description, members: [...members], createdAt, ...(roles.length > 0 && { roles: [...roles] }) };
}
