import { afterEach, describe, expect, it } from 'vitest';
import { tools } from '../../../../generated/mcp/tools.ts';
import { type DocsServer, startDocsServer } from '../../../testkit/docs-server.ts';
import { connectHandshake, mcpUrl, RawClient } from '../../../testkit/mcp-clients.ts';
import { parseToolset } from '../core/tools.ts';
import { CORE_NAMES } from './index.ts';

let server: DocsServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function listed(env: Record<string, string>, headers: Record<string, string> = {}): Promise<string[]> {
  server ??= await startDocsServer({ env, passwordCost: 4 });
  const { client } = await connectHandshake(mcpUrl(server), headers);
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  await client.close();
  return names;
}

const READERS = ['list_collections', 'search', 'read', 'list_documents', 'list_fields', 'history', 'recall'];

describe('the list of tools (decision D-142)', () => {
  it('is a dozen for models by default, in less than 12 KB', async () => {
    expect(await listed({ SVC_MCP_TOOLSET: '' })).toEqual(CORE_NAMES);
    expect(CORE_NAMES).toHaveLength(12);
    const raw = new RawClient(mcpUrl(server!));
    const { messages } = await raw.stateless('tools/list');
    expect(Buffer.byteLength(JSON.stringify(messages))).toBeLessThan(12_000);
    // Scripts that know the name of another tool may still call it.
    expect((await raw.stateless('tools/call', { name: 'get_health', arguments: {} })).answer.result).toMatchObject({
      structuredContent: { status: 'healthy' },
    });
    raw.close();
  });

  it('is that of the operations as `full`, but for what is not built, is switched off, or has no provider', async () => {
    server = await startDocsServer({ env: { SVC_MCP_TOOLSET: 'full' } });
    const { built } = server;
    const names = tools.filter(({ operation }) => built.includes(operation)).map(({ name }) => name);
    const off = ['temporal_query', 'temporal_hot', 'temporal_histogram', 'spell_suggest', 'spell_cleanup',
      'list_dictionary', 'add_dictionary_words', 'evaluate_vectors', 'delete_dictionary_words', 'classify_document',
      'vector_reindex'];
    expect(await listed({})).toEqual(names.filter((name) => !off.includes(name)));
    await server!.stop();
    server = undefined;
    expect(await listed({
      SVC_MCP_TOOLSET: 'full',
      SVC_TEMPORAL: 'true',
      SVC_SPELL: 'true',
      SVC_EMBEDDING_PROVIDER: 'builtin',
    })).toEqual(names);
  });

  it('is what is named, and then nothing else can be called', async () => {
    expect(await listed({ SVC_MCP_TOOLSET: 'search, read,get_stats' })).toEqual(['search', 'read', 'get_stats']);
    const { client } = await connectHandshake(mcpUrl(server!));
    await expect(client.callTool({ name: 'delete_collection', arguments: { collection: 'blog' } })).rejects
      .toMatchObject({ code: -32602 });
    await client.close();
  });

  it('has nothing that the access mode refuses', async () => {
    expect(await listed({ SVC_MCP_TOOLSET: 'core', SVC_MCP_MODE: 'read' })).toEqual(READERS);
    await server!.stop();
    server = undefined;
    expect(await listed({ SVC_MCP_TOOLSET: 'core', SVC_MCP_MODE: 'write' })).toEqual(['write', 'delete']);
  });

  it('has nothing for which the caller has no permission', async () => {
    const auth = {
      SVC_AUTH_ENABLED: 'true',
      SVC_AUTH_JWT_SECRET: 'a secret that only this test knows',
      SVC_AUTH_ADMIN_PASSWORD: 'password',
    };
    server = await startDocsServer({ env: { ...auth, SVC_MCP_TOOLSET: 'core,get_stats' }, passwordCost: 4 });
    const post = async (path: string, body: object, headers: object = {}) =>
      await (await fetch(`${server!.url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })).json() as { token: string };
    const signIn = async (username: string) => ({
      Authorization: `Bearer ${
        (await post('/v1/auth/login', {
          username,
          password: username === 'admin' ? 'password' : 'a quiet word of ann',
        })).token
      }`,
    });
    const admin = await signIn('admin');
    await post('/v1/auth/register', { username: 'ann', password: 'a quiet word of ann' }, admin);
    await post('/v1/auth/permissions', { username: 'ann', collection: 'blog', read: true, write: false, admin: false },
      admin);
    expect(await listed({}, admin)).toEqual([...CORE_NAMES, 'get_stats']);
    const ann = await signIn('ann');
    expect(await listed({}, ann)).toEqual(READERS.filter((name) => name !== 'recall'));
    await post('/v1/auth/permissions', {
      username: 'ann',
      collection: '_memory',
      read: true,
      write: true,
      admin: false,
    }, admin);
    expect(await listed({}, ann)).toEqual(CORE_NAMES.filter((name) => READERS.includes(name) || name === 'remember'));
  });
});

describe('SVC_MCP_TOOLSET', () => {
  it('names sets and tools together', () => {
    expect(parseToolset(['core', 'code_graph']).toolset.listed).toEqual(new Set([...CORE_NAMES, 'code_graph']));
  });

  it.each([[['seach'], '"seach" is neither core, full nor a tool; did you mean search?'], [[],
    'names no tool; for custom tools alone, set SVC_MCP_BUILTIN_TOOLS=false']])('%j is refused with a reason',
      (names, problem) => {
        expect(parseToolset(names).problem).toBe(problem);
      });

  it('prevents the start if it names unknown tools', async () => {
    await expect(startDocsServer({ env: { SVC_MCP_TOOLSET: 'core,nope' } })).rejects.toThrow(
      'SVC_MCP_TOOLSET: "nope" is neither core, full nor a tool',
    );
  });
});
