import type { Group, LoginResponse, RolePermissionInput, User } from '../../../../generated/docs/sdk/types.gen.ts';
import { defineArea } from './area.ts';
import { complete } from './present.ts';

/** The caller of a server without authentication, who may do everything (decisions, section 4.13). */
const ANONYMOUS = {
  username: 'anonymous',
  admin: true,
  createdAt: 0,
  disabled: false,
  groups: [],
  roles: [],
  mustChangePassword: false,
};

export const access = defineArea('access', {
  Query: {
    me: async (_, _args, { authenticates, read, invoke },
      info) => (authenticates ? read(info, async () => toUser((await invoke('getCurrentUser', {})).value)) : ANONYMOUS),
    users: (_, args, { read, invoke }, info) =>
      read(info, async () => complete(await invoke('listUsers', args)).users.map(toUser)),
    groups: (_, args, { read, invoke }, info) =>
      read(info, async () => complete(await invoke('listGroups', args)).groups.map(toGroup)),
    userPermissions: (_, args, { read, invoke }, info) =>
      read(info, async () => complete(await invoke('listPermissions', args))),
    groupPermissions: (_, args, { read, invoke }, info) =>
      read(info, async () => {
        const { permissions } = complete(await invoke('listGroupPermissions', args));
        return permissions.map(({ group, ...grants }) => ({ groupName: group, ...grants }));
      }),
    roles: async (_, args, { read, invoke }, info) =>
      read(info, async () => complete(await invoke('listRoles', args)).roles),
    explainAccess: async (_, args, { read, invoke }, info) =>
      read(info, async () => (await invoke('explainAccess', args)).value),
  },
  Mutation: {
    login: async (_, args, { invoke }) => toPayload((await invoke('login', args)).value),
    refreshSession: async (_, _args, { invoke }) => toPayload((await invoke('refreshSession', {})).value),
    logout: async (_, args, { invoke }) => (await invoke('logout', args)).value.status === 'signed out',
    changePassword: async (_, args, { invoke }) => toPayload((await invoke('changePassword', args)).value),
    createPasswordReset: async (_, args, { invoke }) => (await invoke('createPasswordReset', args)).value,
    redeemPasswordReset: async (_, args, { invoke }) => (await invoke('redeemPasswordReset', args)).value.username,
    updateUser: async (_, { input }, { invoke }) => toUser((await invoke('updateUser', input)).value),
    revokeAPIKey: async (_, args, { invoke }) => (await invoke('revokeApiKey', args)).value.revokedAt !== undefined,
    setRole: async (_, { input }, { invoke }) =>
      (await invoke('setRole', { ...input, permissions: input.permissions?.map(withoutNulls) })).value,
    deleteRole: async (_, args, { invoke }) => (await invoke('deleteRole', args)).value.status === 'deleted',
    setUserRoles: async (_, { username, roles }, { invoke }) =>
      toUser((await invoke('setUserRoles', { username, roles: [...roles] })).value),
    setGroupRoles: async (_, { name, roles }, { invoke }) =>
      toGroup((await invoke('setGroupRoles', { name, roles: [...roles] })).value),
    createAPIKey: async (_, { input: { collections, operations, ...input } }, { invoke }) =>
      (await invoke('createApiKey', {
        ...input,
        collections: collections && [...collections],
        operations: operations && [...operations],
      })).value,
    register: async (_, args, { invoke }) => toUser((await invoke('registerUser', args)).value),
    createGroup: async (_, { input }, { invoke }) =>
      toGroup((await invoke('createGroup', { ...input, members: input.members && [...input.members] })).value),
    updateGroup: async (_, { members, ...group }, { invoke }) =>
      toGroup((await invoke('updateGroup', { ...group, members: [...members] })).value),
    deleteGroup: async (_, args, { invoke }) => (await invoke('deleteGroup', args)).value.status === 'deleted',
    setPermission: async (_, { input }, { invoke }) => (await invoke('setPermission', input)).value.status === 'ok',
    setGroupPermission: async (_, { input }, { invoke }) =>
      (await invoke('setGroupPermission', input)).value.status === 'permission set',
  },
});

/** A field that REST omits from a response is empty or false here. */
function toUser({ roles = [], mustChangePassword = false, ...user }: User) {
  return { ...user, roles, mustChangePassword };
}

function toGroup({ roles = [], ...group }: Group) {
  return { ...group, roles };
}

function toPayload({ mustChangePassword = false, ...payload }: LoginResponse) {
  return { ...payload, mustChangePassword };
}

function withoutNulls(
  permission: { readonly collection: string; readonly read?: boolean | null; readonly write?: boolean | null;
    readonly admin?: boolean | null },
): RolePermissionInput {
  return {
    collection: permission.collection,
    read: permission.read === true,
    write: permission.write === true,
    admin: permission.admin === true,
  };
}
