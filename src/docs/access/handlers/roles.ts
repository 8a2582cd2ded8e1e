import type { Operations } from '../../../../generated/docs/operations.ts';
import type { Role } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Queries, Transaction } from '../../../storage/index.ts';
import type { Grant } from '../grants.ts';
import { listGroups } from '../rows/group-rows.ts';
import { countRoles, listRoles, removeRole, type RoleHolder, type StoredRole, writeHeldRoles,
  writeRole } from '../rows/role-rows.ts';
import { listUsers } from '../rows/user-rows.ts';
import { type AccessStore, MAX_ROLES, notFound, requireAdmin, requireRoom, write } from '../write.ts';
import { toGroup } from './groups.ts';
import { toUser } from './users.ts';

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
        if ((await listUsers(tx, username)).length === 0) throw notFound(`user ${username}`);
        await hold(tx, 'user', username, roles);
        return toUser((await listUsers(tx, username))[0]!);
      }),
    setGroupRoles: ({ name, roles }, context) =>
      write(deps, { kind: 'group-role.put', key: name, by: context }, async (tx) => {
        if ((await listGroups(tx, name)).length === 0) throw notFound(`group ${name}`);
        await hold(tx, 'group', name, roles);
        return toGroup((await listGroups(tx, name))[0]!);
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
