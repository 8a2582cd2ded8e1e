import type { Operations } from '../../../../generated/docs/operations.ts';
import type { Group } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Queries, Transaction } from '../../../storage/index.ts';
import { countGroups, hasGroup, listGroups, removeGroup, type StoredGroup, writeGroup } from '../rows/group-rows.ts';
import { type AccessStore, MAX_GROUPS, notFound, requireAdmin, requireRoom, write } from '../write.ts';

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
async function requireGroup(queries: Queries, name: string): Promise<StoredGroup> {
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
