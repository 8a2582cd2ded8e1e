import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Queries } from '../../../storage/index.ts';
import { type Grant, listGrants, writeGrant } from '../grants.ts';
import { type AccessStore, notFound, requireAdmin, requireUser, write } from '../write.ts';
import { hasGroup } from './groups.ts';

type PermissionHandlers = Required<
  Pick<Handlers<Operations>, 'listPermissions' | 'setPermission' | 'listGroupPermissions' | 'setGroupPermission'>
>;

const LOSE_PERMISSION = 'lose the permission that makes one';

export function permissionHandlers(deps: AccessStore): PermissionHandlers {
  const { sql } = deps;
  return {
    async listPermissions({ username }) {
      await requireUser(sql, username);
      return (await listGrants(sql, 'user', username)).map((grant) => ({ username, ...grant }));
    },
    async setPermission({ username, ...grant }, context) {
      await write(deps, { kind: 'permission.put', key: username, by: context }, async (tx) => {
        await requireUser(tx, username);
        await writeGrant(tx, 'user', username, toGrant(grant));
        await requireAdmin(tx, LOSE_PERMISSION);
      });
      return { status: 'ok' };
    },
    async listGroupPermissions(input) {
      const group = groupOf(input);
      await requireGroup(sql, group);
      return { group, permissions: (await listGrants(sql, 'group', group)).map((grant) => ({ group, ...grant })) };
    },
    async setGroupPermission({ group: name, groupName, ...grant }, context) {
      const group = groupOf({ group: name, groupName });
      await write(deps, { kind: 'group-permission.put', key: group, by: context }, async (tx) => {
        await requireGroup(tx, group);
        await writeGrant(tx, 'group', group, toGrant(grant));
        await requireAdmin(tx, LOSE_PERMISSION);
      });
      return { status: 'permission set' };
    },
  };
}

function toGrant({ collection, read, write, admin }: Grant): Grant {
  return { collection: collection.toLowerCase(), read, write, admin };
}

async function requireGroup(queries: Queries, name: string): Promise<void> {
  if (!(await hasGroup(queries, name))) throw notFound(`group ${name}`);
}

/** A request may name a group by either of two fields. */
function groupOf(
  { group, groupName }: { readonly group?: string | undefined; readonly groupName?: string | undefined },
): string {
  const name = group ?? groupName;
  if (name === undefined) throw new ServiceError('missing_fields', 'missing fields: group');
  return name;
}
