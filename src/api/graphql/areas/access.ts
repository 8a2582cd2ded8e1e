import { defineArea } from './area.ts';
import { complete } from './complete.ts';

/** The caller of a server without authentication, who may do everything (decisions, section 4.13). */
const ANONYMOUS = { username: 'anonymous', admin: true, createdAt: 0, disabled: false, groups: [] };

export const access = defineArea('access', {
  Query: {
    me: async (_, _args, { signedIn, read, invoke }, info) => (signedIn === undefined ? ANONYMOUS : read(info, async () => (await invoke('getCurrentUser', {})).value)),
    users: (_, args, { read, invoke }, info) => read(info, async () => complete(await invoke('listUsers', args)).users),
    groups: (_, args, { read, invoke }, info) => read(info, async () => complete(await invoke('listGroups', args)).groups),
    userPermissions: (_, args, { read, invoke }, info) => read(info, async () => complete(await invoke('listPermissions', args))),
    groupPermissions: (_, args, { read, invoke }, info) => read(info, async () => {
      const { permissions } = complete(await invoke('listGroupPermissions', args));
      return permissions.map(({ group, ...grants }) => ({ groupName: group, ...grants }));
    }),
  },
  Mutation: {
    login: async (_, args, { invoke }) => (await invoke('login', args)).value,
    createAPIKey: async (_, { input }, { invoke }) => (await invoke('createApiKey', input)).value,
    register: async (_, args, { invoke }) => (await invoke('registerUser', args)).value,
    createGroup: async (_, { input }, { invoke }) => (await invoke('createGroup', { ...input, members: input.members && [...input.members] })).value,
    updateGroup: async (_, { members, ...group }, { invoke }) => (await invoke('updateGroup', { ...group, members: [...members] })).value,
    deleteGroup: async (_, args, { invoke }) => (await invoke('deleteGroup', args)).value.status === 'deleted',
    setPermission: async (_, { input }, { invoke }) => (await invoke('setPermission', input)).value.status === 'ok',
    setGroupPermission: async (_, { input }, { invoke }) => (await invoke('setGroupPermission', input)).value.status === 'permission set',
  },
});
