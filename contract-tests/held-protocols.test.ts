import { status } from '@grpc/grpc-js';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATELESS } from '../src/api/mcp/index.ts';
import { encode, GrpcClient } from '../src/testkit/grpc-client.ts';
import { ENVELOPE, mcpUrl } from '../src/testkit/mcp-clients.ts';
import { AccessServer, bearer, type Credential } from './support/access-server.ts';
import { HeldRequest } from './support/held-request.ts';

/** A document that must not be stored, as the arguments of each protocol have it. */
const LATE = { collection: 'blog', key: 'late', lang: 'en', contentMd: 'written late' };

const json = (target: string, body: object) => ({
  operationId: '',
  method: 'POST',
  target,
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(body)),
});
const toolCall = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'add_document', arguments: LATE, _meta: ENVELOPE },
};
const MCP_HEADERS: Credential = {
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': STATELESS,
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'add_document',
};

describe('while a caller loses the right to it (decision D-164)', () => {
  let access: AccessServer;
  let users = 0;
  beforeAll(async () => {
    access = await AccessServer.start();
  });
  afterAll(() => access.stop());

  /** An administrator with a token, and the function that deletes and registers the name again. */
  async function administrator(): Promise<
    { token: string; replace: () => Promise<unknown>; disable: () => Promise<unknown> }
  > {
    const name = `admin-${users++}`;
    const token = await access.register(name, { admin: true });
    return {
      token,
      disable: () => access.manage('PATCH', `/v1/auth/users/${name}`, { disabled: true }),
      replace: async () => {
        await access.manage('DELETE', `/v1/auth/users/${name}`);
        await access.register(name, { admin: true });
      },
    };
  }

  const stored = async () => (await access.server.sql.get<{ n: number }>('SELECT count(*) AS n FROM documents'))!.n;

  it('a held request of GraphQL changes nothing', async () => {
    const { token, replace } = await administrator();
    const query = 'mutation ($input: AddDocumentInput!) { addDocument(input: $input) { id } }';
    const held = await HeldRequest.open(access.server.url, json('/graphql', { query, variables: { input: LATE } }),
      bearer(token));
    await replace();
    expect((await held.finish()).text).toContain('unauthenticated');
    expect(await stored()).toBe(0);
  });

  it('a held message of MCP changes nothing', async () => {
    const { token, disable } = await administrator();
    const held = await HeldRequest.open(mcpUrl(access.server).origin, json('/mcp', toolCall), {
      ...MCP_HEADERS,
      ...bearer(token),
    });
    await disable();
    expect(await held.finish()).toMatchObject({ status: 401, text: expect.stringContaining('invalid token') });
    expect(await stored()).toBe(0);
  });

  it.each(['disable', 'replace'] as const)('the rest of an open stream of gRPC changes nothing (%s)', async (how) => {
    const administering = await administrator();
    const client = new GrpcClient(access.server.listeners.grpc!.url);
    try {
      const metadata = { authorization: `Bearer ${administering.token}` };
      const documents = client.send('AddBatchStream', { metadata });
      const files = client.send('Upload', { metadata });
      documents.call.write(
        encode('AddBatchStream', { collection: 'blog', document: { key: 'a', lang: 'en', contentMd: 'a' } }),
      );
      files.call.write(encode('Upload', { options: { collection: 'blog', lang: 'en' } }));
      files.call.write(encode('Upload', { file: { name: 'a.md' } }));
      const answers = Promise.allSettled([documents.answer, files.answer]);
      await client.call('Search', { collection: 'blog' }, { metadata });
      await administering[how]();
      documents.call.write(encode('AddBatchStream', { document: { key: 'b', lang: 'en', contentMd: 'b' } }));
      documents.call.end();
      files.call.write(encode('Upload', { data: Buffer.from('# a').toString('base64') }));
      files.call.end();
      expect((await answers).map((answer) => answer.status === 'rejected' && (answer.reason as { code: number }).code))
        .toEqual([status.UNAUTHENTICATED, status.UNAUTHENTICATED]);
      expect(await stored()).toBe(0);
    } finally {
      client.close();
    }
  });

  it('a write that waits for an LSN changes nothing', async () => {
    const { token, disable } = await administrator();
    const { head } = (await access.server.sql.get<{ head: number }>('SELECT max(lsn) AS head FROM changes'))!;
    const waiting = access.send('POST', '/v1/add', { ...bearer(token), 'X-Quire-Min-LSN': String(head + 2) }, LATE);
    for (let i = 0; i < 3; i++) await access.send('GET', '/v1/auth/me', bearer(token));
    await disable();
    await access.manage('POST', '/v1/auth/groups', { name: 'anything that is written' });
    expect((await waiting).status).toBe(401);
    expect(await stored()).toBe(0);
  });

  it('an import stores nothing more', async () => {
    const { token, disable } = await administrator();
    const lines = (from: number) =>
      Array.from({ length: 600 }, (_, i) =>
        `${JSON.stringify({ key: `k${from + i}`, lang: 'en', contentMd: 'text' })}\n`).join('');
    const held = await HeldRequest.open(access.server.url, {
      operationId: '',
      method: 'POST',
      target: '/v1/import?collection=imported',
      contentType: 'application/x-ndjson',
      body: Buffer.from(lines(0) + lines(600)),
    }, bearer(token));
    while (await stored() === 0) await setImmediate();
    await disable();
    const before = await stored();
    const { text } = await held.finish();
    expect(text).not.toContain('"done":true');
    expect(await stored()).toBe(before);
  });
});

describe('an MCP key', () => {
  it('that is disabled or removed while a message arrives is good for nothing', async () => {
    const access = await AccessServer.start({ SVC_MCP_API_KEY_ENABLED: 'true' });
    try {
      for (const end of [{ method: 'POST', path: '/v1/mcp/keys/disable' }, {
        method: 'DELETE',
        path: '/v1/mcp/keys',
      }]) {
        const { key } = await access.manage<{ key: string }>('POST', '/v1/mcp/keys', { name: 'the same name' });
        const held = await HeldRequest.open(mcpUrl(access.server).origin, json('/mcp', toolCall), {
          ...MCP_HEADERS,
          'X-API-Key': key,
        });
        await access.manage(end.method, end.path, { key });
        await access.manage('POST', '/v1/mcp/keys', { name: 'the same name' });
        expect((await held.finish()).status).toBe(401);
      }
      expect((await access.server.sql.get<{ n: number }>('SELECT count(*) AS n FROM documents'))!.n).toBe(0);
    } finally {
      await access.stop();
    }
  });
});
