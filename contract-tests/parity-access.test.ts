import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationId } from '../generated/docs/operations.ts';
import { mcpUrl } from '../src/testkit/mcp-clients.ts';
import type { Credential, Outcome } from './parity/driver.ts';
import { driversOf } from './parity/drivers.ts';
import { exampleInput } from './parity/examples.ts';
import { AccessServer, apiKey, bearer, withOtherSignature } from './support/access-server.ts';
import { exampleCalls } from './support/examples.ts';

/** Every operation, with the collection `blog` if it names one, but `logout`, which would end the credential that the others are called with. */
const CALLS = exampleCalls('docs')
  .filter(({ operationId, consumes }) => operationId !== 'logout' && (consumes.length === 0 || consumes[0] === 'application/json'))
  .map((call) => [call.operationId as OperationId, exampleInput(call)] as const)
  .map(([operation, input]) => [operation, 'collection' in input ? { ...input, collection: 'blog' } : input] as const);

/** A caller that the service does not know. */
const UNKNOWN = ['nobody', 'a forged token', 'an unknown key'] as const;
const CALLERS = [...UNKNOWN, 'a stranger', 'a reader', 'a reader by key', 'a writer', 'both a good key and a bad token'] as const;

let access: AccessServer;
let credentials: Readonly<Record<(typeof CALLERS)[number], Credential>>;

beforeAll(async () => {
  access = await AccessServer.start();
  const [stranger, reader, writer] = [await access.register('stranger'), await access.register('reader'), await access.register('writer')];
  await access.grant('reader', 'blog', 'read');
  await access.grant('writer', 'blog', 'write');
  const key = await access.keyOf(reader);
  credentials = {
    nobody: {},
    'a forged token': bearer(withOtherSignature(reader)),
    'an unknown key': apiKey(`svc_live_${'0'.repeat(32)}`),
    'a stranger': bearer(stranger),
    'a reader': bearer(reader),
    'a reader by key': bearer(key),
    'a writer': bearer(writer),
    'both a good key and a bad token': { ...bearer('nonsense'), ...apiKey(key) },
  };
});
afterAll(() => access.stop());

describe('who may do what is the same over every protocol', () => {
  it.each(CALLERS)('for %s', async (caller) => {
    const drivers = await driversOf(access.server, credentials[caller], { mcp: !isUnknown(caller) });
    let refused = 0;
    for (const [operation, input] of CALLS) {
      const reference = await drivers.rest.call(operation, input);
      if (isRefusal(reference)) refused++;
      for (const driver of drivers.others) {
        if (driver.lacks(operation, input) !== undefined) continue;
        const outcome = await driver.call(operation, input);
        const what = `${driver.protocol}: ${operation}`;
        // The results of allowed calls may differ from one call to the next; that they are allowed may not.
        if (isRefusal(reference)) expect.soft(outcome, what).toEqual(driver.view(operation, reference, input));
        else expect.soft(isRefusal(outcome), what).toBe(false);
      }
    }
    expect(refused).toBeGreaterThan(20);
    await drivers.close();
  }, 60_000);
});

describe('MCP', () => {
  it.each(UNKNOWN)('lets %s neither open a session nor call a tool', async (caller) => {
    const url = mcpUrl(access.server);
    const headers = { ...credentials[caller], 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const post = async (method: string, params: object) => (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })).status;
    expect(await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } })).toBe(401);
    expect(await post('tools/call', { name: 'get_health', arguments: {} })).toBe(401);
    expect((await fetch(new URL('/sse', url), { headers: credentials[caller] as Record<string, string> })).status).toBe(401);
  });
});

function isUnknown(caller: string): boolean {
  return (UNKNOWN as readonly string[]).includes(caller);
}

function isRefusal(outcome: Outcome): boolean {
  return 'failure' in outcome && ['unauthenticated', 'forbidden', 'admin_required'].includes(outcome.failure.code);
}
