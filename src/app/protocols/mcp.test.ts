import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { connectHandshake } from '../../testkit/mcp-clients.ts';
import { type RunningDocumentService, startDocumentService } from '../docs-service.ts';
import { type Environment, loadSettings } from '../settings/index.ts';

let service: RunningDocumentService | undefined;

afterEach(async () => {
  await service?.stop();
  service = undefined;
});

async function start(env: Environment = {}): Promise<{ running: RunningDocumentService; warnings: string[] }> {
  const { settings } = loadSettings({
    env: {
      SVC_PATH: ':memory:',
      SVC_HTTP_ADDR: '127.0.0.1:0',
      SVC_GRPC_ENABLED: 'false',
      SVC_MCP_ADDR: '127.0.0.1:0',
      ...env,
    },
  });
  const warnings: string[] = [];
  service = await startDocumentService({
    settings,
    log: { ...silentLog, warn: (_fields, message) => void warnings.push(message) },
  });
  return { running: service, warnings };
}

describe('MCP in the service', () => {
  it('is open to this machine by default, and says so when more than it can reach the port', async () => {
    expect((await start()).warnings.filter((line) => line.startsWith('MCP'))).toEqual([]);
    await service!.stop();
    const wide = await start({ SVC_MCP_ADDR: '0.0.0.0:0' });
    expect(wide.warnings.filter((line) => line.startsWith('MCP is open'))).toHaveLength(1);
    await service!.stop();
    const keyed = await start({
      SVC_MCP_ADDR: '0.0.0.0:0',
      SVC_MCP_API_KEY_ENABLED: 'true',
      SVC_MCP_API_KEYS: 'secret:me',
    });
    expect(keyed.warnings.filter((line) => line.startsWith('MCP'))).toEqual([]);
  });

  it('requires a key when configured', async () => {
    const { running } = await start({ SVC_MCP_API_KEY_ENABLED: 'true', SVC_MCP_API_KEYS: 'secret:me,other:you' });
    const url = new URL(running.listeners.mcp!.url);
    await expect(connectHandshake(url)).rejects.toThrow();
    const { client } = await connectHandshake(url, { 'X-API-Key': 'other' });
    await client.close();
  });

  const auth = {
    SVC_AUTH_ENABLED: 'true',
    SVC_AUTH_JWT_SECRET: 'a secret that only this test knows',
    SVC_AUTH_ADMIN_PASSWORD: 'password',
  };

  async function post<T>(url: string, path: string, body: object, headers: Record<string, string> = {}): Promise<T> {
    return await (await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })).json() as T;
  }

  const signIn = async (url: string): Promise<Record<string, string>> => ({
    Authorization: `Bearer ${
      (await post<{ token: string }>(url, '/v1/auth/login', { username: 'admin', password: 'password' })).token
    }`,
  });

  it('takes the keys that are made over REST until they are disabled, and lets their holders do what it offers', async () => {
    const { running } = await start({ ...auth, SVC_MCP_API_KEY_ENABLED: 'true' });
    const url = new URL(running.listeners.mcp!.url);
    const admin = await signIn(running.url);
    const { key } = await post<{ key: string }>(running.url, '/v1/mcp/keys', { name: 'plugin' }, admin);
    const { client } = await connectHandshake(url, { 'X-API-Key': key });
    expect((await client.callTool({ name: 'get_stats' })).structuredContent).toMatchObject({ totalDocuments: 0 });
    await post(running.url, '/v1/mcp/keys/disable', { key }, admin);
    await expect(client.callTool({ name: 'get_stats' })).rejects.toThrow();
    await client.close();
    await expect(connectHandshake(url, { 'X-API-Key': key })).rejects.toThrow();
    await expect(connectHandshake(url, admin)).rejects.toThrow();
  });

  it('asks for a credential of the service where it has no keys of its own, and passes it on', async () => {
    const { running } = await start(auth);
    const url = new URL(running.listeners.mcp!.url);
    const call = async (headers: Record<string, string>) => {
      const { client } = await connectHandshake(url, headers);
      const { isError = false } = await client.callTool({ name: 'get_stats' });
      await client.close();
      return isError;
    };
    await expect(call({})).rejects.toThrow('missing authentication');
    await expect(call({ 'X-API-Key': 'svc_live_unknown' })).rejects.toThrow('invalid token');
    expect(await call(await signIn(running.url))).toBe(false);
  });

  it('names itself and instructs models as configured', async () => {
    const { running } = await start({
      SVC_MCP_SERVER_NAME: 'library',
      SVC_MCP_INSTRUCTIONS: 'Search before you answer.',
    });
    const { client } = await connectHandshake(new URL(running.listeners.mcp!.url));
    expect([client.getServerVersion(), client.getInstructions()]).toMatchObject([{ name: 'library' },
      'Search before you answer.']);
    await client.close();
  });

  it('that is off is neither served nor counted', async () => {
    const { running } = await start({ SVC_MCP_ENABLED: 'false' });
    expect(running.listeners.mcp).toBeUndefined();
    const health = await (await fetch(`${running.url}/health`)).json() as object;
    expect(health).not.toHaveProperty('mcpSessions');
    expect((await (await fetch(`${running.url}/v1/endpoints`)).json() as { mcp: unknown[] }).mcp).toEqual([]);
  });

  it('is served alone where HTTP is off', async () => {
    const { running } = await start({ SVC_HTTP_ENABLED: 'false' });
    expect([running.listeners.http, running.url]).toEqual([undefined, running.listeners.mcp!.url]);
    const { client } = await connectHandshake(new URL(running.url));
    expect((await client.callTool({ name: 'get_health' })).structuredContent).toMatchObject({ status: 'healthy' });
    await client.close();
  });

  it('reports its tools among the endpoints', async () => {
    const { running } = await start();
    const { mcp } = await (await fetch(`${running.url}/v1/endpoints`)).json() as {
      mcp: { name: string; description: string }[];
    };
    expect(mcp).toHaveLength(12);
    expect(mcp).toContainEqual({ name: 'search', description: 'Search documents' });
    await service!.stop();
    const { running: whole } = await start({ SVC_MCP_TOOLSET: 'full' });
    const { mcp: all } = await (await fetch(`${whole.url}/v1/endpoints`)).json() as {
      mcp: { name: string; description: string }[];
    };
    expect(all).toHaveLength(102);
    expect(all).toContainEqual({ name: 'add_document', description: 'Create or update one document' });
  });
});
