import type { CommandGroup } from '../operations/catalogue.ts';

const PERMISSION = ['collection', 'read', 'write', 'admin'] as const;

export const USERS: CommandGroup = {
  name: 'users',
  summary: 'accounts of the service and what they may do',
  commands: [{
    name: 'list',
    operation: 'listUsers',
    summary: 'list the accounts',
    columns: ['username', 'admin', 'disabled', 'groups', 'createdAt'],
  }, {
    name: 'add',
    operation: 'registerUser',
    positions: ['username'],
    secret: 'password',
    summary: 'make an account',
    prints: ({ username }) => String(username),
    examples: ['users add alice', 'users add ci --password @password.txt'],
  }, {
    name: 'delete',
    operation: 'deleteUser',
    positions: ['username'],
    summary: 'delete an account',
    asks: ({ username }) => `Delete the account ${String(username)} with its keys and permissions?`,
    says: (_, { username }) => [`deleted ${String(username)}`],
  }, {
    name: 'permissions',
    operation: 'listPermissions',
    summary: 'list what accounts may do, those that hold through groups not among them',
    columns: ['username', ...PERMISSION],
  }, {
    name: 'permit',
    operation: 'setPermission',
    positions: ['username', 'collection'],
    summary: 'say what an account may do with a collection',
    examples: ['users permit alice blog --read --write', "users permit alice '*' --read",
      'users permit alice blog      # nothing any more'],
  }],
};

export const GROUPS: CommandGroup = {
  name: 'groups',
  summary: 'groups of accounts and what they may do',
  commands: [{
    name: 'list',
    operation: 'listGroups',
    summary: 'list the groups',
    columns: ['name', 'description', 'members', 'createdAt'],
  }, { name: 'show', operation: 'getGroup', positions: ['name'], summary: 'show a group' }, {
    name: 'add',
    operation: 'createGroup',
    positions: ['name'],
    summary: 'make a group',
    examples: ['groups add editors --members alice,bob'],
  }, {
    name: 'set',
    operation: 'updateGroup',
    positions: ['name'],
    summary: 'change the members or the description of a group',
  }, {
    name: 'delete',
    operation: 'deleteGroup',
    positions: ['name'],
    summary: 'delete a group',
    asks: ({ name }) => `Delete the group ${String(name)} and its permissions?`,
    says: (_, { name }) => [`deleted ${String(name)}`],
  }, {
    name: 'permissions',
    operation: 'listGroupPermissions',
    positions: ['group'],
    without: ['groupName'],
    summary: 'list what groups may do',
    columns: ['group', ...PERMISSION],
  }, {
    name: 'permit',
    operation: 'setGroupPermission',
    positions: ['group', 'collection'],
    without: ['groupName'],
    summary: 'say what a group may do with a collection',
    examples: ['groups permit editors blog --read --write'],
  }],
};

export const KEYS: CommandGroup = {
  name: 'keys',
  summary: 'your API keys, and the keys of MCP',
  commands: [{
    name: 'list',
    operation: 'listApiKeys',
    summary: 'list API keys, yours or those of another user',
    columns: ['keyHash', 'username', 'description', 'createdAt', 'expiresAt', 'lastUsedAt'],
  }, {
    name: 'add',
    operation: 'createApiKey',
    summary: 'make an API key and print it, which happens once',
    prints: ({ key }) => String(key),
    says: ({ keyHash }) => [`its hash, to delete it by: ${String(keyHash)}`],
    examples: ['keys add --description "backup of blog"', 'QUIRE_API_KEY=$(quire keys add) quire stats'],
  }, {
    name: 'delete',
    operation: 'deleteApiKey',
    positions: ['keyHash'],
    summary: 'delete an API key',
    asks: ({ keyHash }) => `Delete the key ${String(keyHash)}? What uses it will be refused.`,
    says: () => ['deleted'],
  }, {
    name: 'mcp-list',
    operation: 'listMcpKeys',
    summary: 'list the keys of MCP',
    columns: ['fingerprint', 'keyPrefix', 'name', 'disabled', 'createdAt', 'expiresAt'],
  }, {
    name: 'mcp-add',
    operation: 'createMcpKey',
    summary: 'make a key for MCP and print it, which happens once',
    prints: ({ key }) => String(key),
  }, { name: 'mcp-disable', operation: 'disableMcpKey', summary: 'disable a key of MCP' }, {
    name: 'mcp-delete',
    operation: 'deleteMcpKey',
    summary: 'delete a key of MCP',
    asks: () => 'Delete the key? What uses it will be refused.',
    says: () => ['deleted'],
  }],
};
