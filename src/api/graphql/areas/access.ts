import { defineArea } from './area.ts';

/** The caller of a server without authentication, who may do everything (decisions, section 4.13). */
const ANONYMOUS = { username: 'anonymous', admin: true, createdAt: 0, disabled: false, groups: [] };

export const access = defineArea('access', {
  Query: {
    me: async (_, _args, { signedIn, read, invoke }, info) => (signedIn === undefined ? ANONYMOUS : read(info, async () => (await invoke('getCurrentUser', {})).value)),
    users: (_, _args, { read, invoke }, info) => read(info, async () => (await invoke('listUsers', {})).value.users),
    groups: (_, _args, { read, invoke }, info) => read(info, async () => (await invoke('listGroups', {})).value.groups),
    userPermissions: (_, args, { read, invoke }, info) => read(info, async () => (await invoke('listPermissions', args)).value),
    groupPermissions: (_, args, { read, invoke }, info) => read(info, async () => {
      const { value } = await invoke('listGroupPermissions', args);
      return value.permissions.map(({ group, ...grants }) => ({ groupName: group, ...grants }));
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
