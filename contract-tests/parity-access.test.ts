import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../generated/docs/operations.ts';
import { mcpUrl, RawClient } from '../src/testkit/mcp-clients.ts';
import type { Credential, Input } from './parity/driver.ts';
import { exampleInput } from './parity/examples.ts';
import { mcpDriver } from './parity/mcp-driver.ts';
import { askTool, directivesOf, type NamedCalls, namedCalls, type Refusal, refusalOf } from './parity/named-calls.ts';
import { restDriver } from './parity/rest-driver.ts';
import { AccessServer, apiKey, bearer, withOtherSignature } from './support/access-server.ts';
import { exampleCalls } from './support/examples.ts';

/** Inputs that send nothing to other servers, replace no database and end no credential. */
const INSTEAD: Readonly<Partial<Record<OperationId, Input>>> = {
  importUrl: { url: 'http://127.0.0.1:1/' },
  restoreBackup: { from: 'there-is-none.db' },
  createEmbeddingConfig: { provider: 'builtin', isDefault: false },
  updateEmbeddingConfig: { id: 'cfg_0' },
  setDefaultEmbeddingConfig: { id: 'cfg_0' },
  changePassword: { oldPassword: 'not the password' },
};

/**
 * The input of every operation, with the collection `blog` if it names one; `logout` ends the credential that the
 * others are called with.
 */
const INPUTS = new Map(exampleCalls('docs').filter(({ operationId }) => operationId !== 'logout').map((call) => {
  const operation = call.operationId as OperationId;
  const input = { ...exampleInput(call), ...INSTEAD[operation] };
  return [operation, 'collection' in input ? { ...input, collection: 'blog' } : input] as const;
}));

/** A caller that the service does not know. */
const UNKNOWN = ['nobody', 'a forged token', 'an unknown key', 'a revoked key', 'an expired key', 'an expired token',
  'a disabled user', 'the key of a disabled user'] as const;
const KNOWN = ['a stranger', 'a reader', 'a reader by key', 'a writer', 'an administrator of the collection',
  'an administrator of another collection', 'a user of memory', 'an administrator', 'an administrator by grant',
  'an administrator who has to change the password', 'both a good key and a bad token'] as const;
/** Keys of an administrator that are good for less. */
const KEYS = {
  'a key that reads': { operations: ['read'] },
  'a key that writes': { operations: ['write'] },
  'a key that administers': { operations: ['admin'] },
  'a key that searches': { operations: ['search'] },
  'a key for the collection': { collections: ['blog'] },
  'a key for named operations': { operations: ['listUsers', 'setSchema', 'streamEvents', 'getDocument', 'importWiki'] },
} as const;
const KNOWN_AND_KEYS = [...KNOWN, ...Object.keys(KEYS) as (keyof typeof KEYS)[]];
const CALLERS = [...UNKNOWN, ...KNOWN_AND_KEYS];
type CallerName = (typeof CALLERS)[number];

let access: AccessServer;
let names: NamedCalls;
const credentials = new Map<CallerName, Credential>();

beforeAll(async () => {
  access = await AccessServer.start({ SVC_EMBEDDING_PROVIDER: 'none', SVC_MCP_TOOLSET: 'full' });
  await access.manage('POST', '/v1/add', { collection: 'blog', key: 'hello-world', lang: 'en', contentMd: 'Hello.' });
  names = await namedCalls(access.server);
  await admitCallers();
});
afterAll(async () => {
  await names.close();
  await access.stop();
});

async function admitCallers(): Promise<void> {
  const user = async (name: string, collection = '',
    ...permissions: ('read' | 'write' | 'admin')[]): Promise<string> =>
  {
    const token = await access.register(name);
    if (collection !== '') await access.grant(name, collection, ...permissions);
    return token;
  };
  const administrator = await access.register('boss', { admin: true });
  const reader = await user('reader', 'blog', 'read');
  const readersKey = await access.keyOf(reader);
  for (const [name, scope] of Object.entries(KEYS))
    credentials.set(name as CallerName, apiKey(await access.keyOf(administrator, scope)));
  const known: Record<(typeof KNOWN)[number], Credential> = {
    'a stranger': bearer(await user('stranger')),
    'a reader': bearer(reader),
    'a reader by key': bearer(readersKey),
    'a writer': bearer(await user('writer', 'blog', 'write')),
    'an administrator of the collection': bearer(await user('keeper', 'blog', 'admin')),
    'an administrator of another collection': bearer(await user('elsewhere', 'blog2', 'read', 'write', 'admin')),
    'a user of memory': bearer(await user('rememberer', '_memory', 'read', 'write')),
    'an administrator': bearer(administrator),
    'an administrator by grant': bearer(await user('granted', '*', 'admin')),
    'an administrator who has to change the password': bearer(
      await access.register('new-boss', { admin: true, mustChangePassword: true }),
    ),
    'both a good key and a bad token': { ...bearer('nonsense'), ...apiKey(readersKey) },
  };
  for (const [name, credential] of Object.entries({ ...known, ...await unknownCallers(reader, administrator) }))
    credentials.set(name as CallerName, credential);
}

/** Most of them were administrators. */
async function unknownCallers(reader: string,
  administrator: string): Promise<Record<(typeof UNKNOWN)[number], Credential>>
{
  const disabled = await access.register('disabled', { admin: true });
  const disabledKey = await access.keyOf(disabled);
  await access.manage('PATCH', '/v1/auth/users/disabled', { disabled: true });
  const revoked = await access.keyOf(administrator);
  await access.manage('POST', `/v1/auth/api-keys/${createHash('sha256').update(revoked).digest('hex')}/revoke`);
  const expired = await access.keyOf(administrator, { expiresAt: access.now + 60 });
  access.advance(-90_000);
  const expiredToken = await access.login('boss');
  access.advance(90_061);
  return {
    nobody: {},
    'a forged token': bearer(withOtherSignature(reader)),
    'an unknown key': apiKey(`svc_live_${'0'.repeat(48)}`),
    'a revoked key': apiKey(revoked),
    'an expired key': apiKey(expired),
    'an expired token': bearer(expiredToken),
    'a disabled user': bearer(disabled),
    'the key of a disabled user': apiKey(disabledKey),
  };
}

/** GraphQL's messages about permissions (contract, section 7). */
const WORDS: Readonly<Record<string, string>> = {
  unauthenticated: 'unauthenticated: missing or invalid credentials',
  admin_required: 'forbidden: admin privileges required',
  forbidden: 'permission denied',
};

/**
 * Each of them makes all calls. The others are variants of them, and share the calls among `SHARES`, so that each call
 * is made by several.
 */
const WHOLE: readonly CallerName[] = ['nobody', 'a stranger', 'a reader', 'a writer',
  'an administrator of the collection', 'an administrator', 'a key that searches'];
const SHARES = 3;

/** Callers with a credential that is not valid have one answer, so each of them makes another part of the calls. */
function callsOf(caller: CallerName): NamedCalls['calls'] {
  if (WHOLE.includes(caller)) return names.calls;
  const shares = isUnknown(caller) ? UNKNOWN.length - 1 : SHARES;
  return names.calls.filter((_, i) => i % shares === CALLERS.indexOf(caller) % shares);
}

async function refusalsOfRest(credential: Credential,
  wanted: ReadonlySet<OperationId> = new Set(INPUTS.keys())): Promise<Map<OperationId, Refusal>>
{
  const rest = restDriver(access.server.url, credential);
  const refusals = new Map<OperationId, Refusal>();
  for (const [operation, input] of INPUTS) {
    if (!wanted.has(operation)) continue;
    const outcome = await rest.call(operation, input);
    refusals.set(operation, 'failure' in outcome ? refusalOf(outcome.failure) : undefined);
  }
  return refusals;
}

describe('who may do what is the same over every protocol', () => {
  it.each(CALLERS)('for %s', async (caller) => {
    const credential = credentials.get(caller)!;
    const calls = callsOf(caller);
    const references = await refusalsOfRest(credential, new Set(calls.map(({ operation }) => operation)));
    const differences: object[] = [];
    for (const { protocol, name, operation, ask } of calls) {
      const input = INPUTS.get(operation);
      if (input === undefined) continue;
      const expected = expectedOf(caller, protocol, references.get(operation));
      const refusal = await ask(credential, input);
      if (refusal?.code !== expected?.code || !isSame(refusal?.message, expected?.message))
        differences.push({ call: `${protocol} ${name}`, expected, refusal });
    }
    expect(differences).toEqual([]);
    const refused = [...references].filter(([, refusal]) => refusal !== undefined).map(([operation]) => operation);
    if (caller === 'an administrator' || caller === 'an administrator by grant') expect(refused).toEqual([]);
    else expect(refused.length).toBeGreaterThan(calls.length / 16);
  }, 60_000);

  it('for a reader with a session of MCP', async () => {
    const credential = credentials.get('a reader')!;
    const [references, driver] = [await refusalsOfRest(credential), await mcpDriver(mcpUrl(access.server), credential)];
    const said = [...INPUTS].filter(([operation, input]) => driver.lacks(operation, input) === undefined);
    for (const [operation, input] of said) {
      const outcome = await driver.call(operation, input);
      expect.soft('failure' in outcome ? refusalOf(outcome.failure) : undefined, operation).toEqual(
        references.get(operation),
      );
    }
    expect(said.length).toBeGreaterThan(90);
    await driver.close();
  }, 60_000);

  it('signing out ends the token over every protocol, and a key cannot', async () => {
    const sign = names.calls.filter(({ operation }) => operation === 'logout');
    expect(sign.map(({ protocol }) => protocol).sort()).toEqual(['GraphQL', 'gRPC']);
    for (const { ask } of sign) {
      const token = bearer(await access.login('stranger'));
      expect((await ask(credentials.get('a reader by key')!, {}))?.code).toBe('unauthenticated');
      expect(await ask(token, {})).toBeUndefined();
      for (const me of names.calls.filter(({ operation }) => operation === 'getCurrentUser'))
        expect((await me.ask(token, {}))?.code).toBe('unauthenticated');
    }
  });

  it('in every operation that any of them has, save the one that ends the credential', () => {
    const called = new Set(names.calls.map(({ operation }) => operation));
    expect(Object.keys(operations).filter((id) => !INPUTS.has(id as OperationId))).toEqual(['logout']);
    expect(called.size).toBeGreaterThan(140);
    expect(names.calls.length).toBeGreaterThan(300);
  });
});

/** Metadata that the rules of the examples ask for. */
const RULED = { category: ['news'], tags: ['release'] };

describe('GraphQL', () => {
  it('answers a field that is allowed beside fields that are not, whatever their alias and fragment', async () => {
    await access.manage('POST', '/v1/add', { collection: 'secret', key: 'plan', lang: 'en', contentMd: 'canary' });
    const query = `query { mine: document(collection: "blog", key: "hello-world", lang: "en") { key } ...Theirs }
      fragment Theirs on Query { one: document(collection: "secret", key: "plan", lang: "en") { contentMd } two: document(collection: "secret", key: "none", lang: "en") { key }
        found: search(input: {collection: "secret"}) { totalCount } all: stats { mode } }`;
    await access.manage('POST', '/v1/add', {
      collection: 'blog',
      key: 'hello-world',
      lang: 'en',
      contentMd: 'Hello.',
      meta: RULED,
    });
    const { data, errors } = (await access.send('POST', '/graphql', credentials.get('a reader'), { query })).json<
      { data: object; errors: { path: string[]; message: string }[] }
    >();
    expect(data).toEqual({ mine: { key: 'hello-world' }, one: null, two: null, found: null, all: null });
    const refusals = [['one', WORDS['forbidden']], ['two', WORDS['forbidden']], ['found', WORDS['forbidden']], ['all',
      WORDS['admin_required']]];
    expect(errors.map(({ path, message }) => [path[0], message]).sort()).toEqual(refusals.sort());
  });

  it('says of each field who may select it, as the specification of its operation does', () => {
    const access = { public: [], user: ['auth'], read: ['auth'], write: ['auth'], admin: ['auth', 'hasRole'] } as const;
    const fields = names.calls.filter(({ protocol }) => protocol === 'GraphQL').map(({ name, operation }) => ({
      name,
      operation,
      directives: directivesOf(name),
    }));
    // Who sees the statistics is decided by more than a role.
    const differing = fields.filter(({ operation, directives }) =>
      JSON.stringify(directives) !== JSON.stringify(access[operations[operation].access])
    ).map(({ name }) => name);
    expect(differing).toEqual(['stats']);
  });
});

/**
 * Keys for searches are refused before a stream of gRPC has a first message, which names the operation's collection.
 */
function isSame(message: string | undefined, expected: string | undefined): boolean {
  return message === expected || message === 'forbidden: the API key is for searches, and not for streams';
}

/** What REST says, in the words of the protocol. */
function expectedOf(caller: CallerName, protocol: string, reference: Refusal): Refusal {
  // MCP asks for a credential before it knows the tool.
  if (protocol === 'MCP' && isUnknown(caller))
    return { code: 'unauthenticated', message: caller === 'nobody' ? 'missing authentication' : 'invalid token' };
  return protocol === 'GraphQL' && reference !== undefined
    ? { code: reference.code, message: WORDS[reference.code]! }
    : reference;
}

const HELLO = { collection: 'blog', key: 'hello-world' };
/**
 * The core tools of MCP, each with the operations that it calls for a document that there is and a user without a
 * memory, in their order.
 */
const CORE: readonly (readonly [tool: string, args: Input, operations: readonly OperationId[]])[] = [['search', {
  query: 'hello',
  collection: 'blog',
}, ['searchHybrid']], ['read', HELLO, ['getDocument']], ['list_documents', { collection: 'blog' }, ['searchDocuments']],
  ['list_fields', { collection: 'blog' }, ['listMetaKeys']], ['list_fields', { collection: 'blog', field: 'tags' }, [
  'aggregateDocuments',
]], ['write', { ...HELLO, content: 'Hello.' }, ['updateDocument', 'addDocument']], ['edit', {
  ...HELLO,
  new_text: 'More.',
}, ['getDocument', 'updateDocument']], ['history', HELLO, ['listRevisions']], ['restore', { ...HELLO, revision: 1 }, [
  'restoreRevision',
]], ['remember', { text: 'Ada is brief.' }, ['listSessions', 'startSession', 'addMessage']], ['recall', {
  query: 'Ada',
}, ['recallMemory']], ['delete', HELLO, ['deleteDocument']]];

describe('MCP', () => {
  it.each(KNOWN_AND_KEYS)('refuses %s a core tool where it would refuse an operation of it', async (caller) => {
    const credential = credentials.get(caller)!;
    const references = await refusalsOfRest(credential, new Set(CORE.flatMap(([, , ids]) => ids)));
    const client = new RawClient(mcpUrl(access.server));
    await access.manage('POST', '/v1/add', { ...HELLO, lang: 'en', contentMd: 'Hello.', meta: RULED });
    for (const [tool, args, ids] of CORE) {
      const expected = ids.map((id) => references.get(id)).find((refusal) => refusal !== undefined);
      expect.soft(await askTool(client, tool, credential, { ...args, ...(tool === 'remember' && { user: caller }) }),
        tool).toEqual(expected);
    }
    client.close();
  });

  it.each(UNKNOWN)('lets %s neither open a session nor call a tool', async (caller) => {
    const url = mcpUrl(access.server);
    const headers = {
      ...credentials.get(caller),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    const post = async (method: string, params: object) =>
      (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }))
        .status;
    expect(await post('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })).toBe(401);
    expect(await post('tools/call', { name: 'get_health', arguments: {} })).toBe(401);
    expect((await fetch(new URL('/sse', url), { headers: credentials.get(caller) as Record<string, string> })).status)
      .toBe(401);
  });
});

function isUnknown(caller: string): boolean {
  return (UNKNOWN as readonly string[]).includes(caller);
}
