import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../generated/docs/operations.ts';
import type { AuditEvent } from '../../generated/docs/sdk/types.gen.ts';
import { eventsOf } from '../../src/docs/audit/events-of.ts';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { GrpcClient } from '../../src/testkit/grpc-client.ts';

const inputs = JSON.parse(readFileSync(new URL('../../generated/docs/inputs.json', import.meta.url), 'utf8')) as Record<
  string,
  { properties?: Record<string, object> }
>;
const writes = Object.values(operations).filter(({ effect }) => effect === 'write');

/** The audit entry of an operation whose input has all fields that identify a document. */
function subjectOf(operation: (typeof writes)[number], documents: readonly object[] = [{ key: 'k', lang: 'en' }]) {
  const fields: Record<string, unknown> = { collection: 'blog', key: 'k', lang: 'en', documents };
  const has = inputs[operation.id]?.properties ?? {};
  const input = Object.fromEntries(Object.entries(fields).filter(([name]) => name in has));
  const [{ collection, key, lang }] = eventsOf(
    { operation, input, caller: { protocol: 'http', requestId: '1' }, milliseconds: 1 } as never,
  ).slice(-1) as [AuditEvent];
  return { input, subject: { collection, key, lang } };
}

describe('what an audit event is about', () => {
  it.each(writes.map((operation) => [operation.id, operation] as const))(
    '%s names the collection, key and language that it has',
    (_, operation) => {
      const { input, subject } = subjectOf(operation);
      const ofDocuments = operation.collections?.includes('collection') === true;
      const hasKey = ofDocuments && ('key' in input || 'documents' in input);
      expect(subject).toEqual({
        collection: 'collection' in input ? 'blog' : operation.collections?.[0],
        key: hasKey ? 'k' : undefined,
        lang: hasKey ? 'en' : undefined,
      });
    },
  );

  it('never returns a single document for a batch of several, nor a document for an empty batch', () => {
    expect(subjectOf(operations.deleteDocuments, [{ key: 'a', lang: 'en' }, { key: 'b', lang: 'en' }]).subject).toEqual(
      { collection: 'blog', key: undefined, lang: undefined },
    );
    expect(subjectOf(operations.deleteDocuments, [null as never]).subject).toEqual({
      collection: 'blog',
      key: undefined,
      lang: undefined,
    });
    expect(subjectOf(operations.deleteDocuments, []).subject.key).toBeUndefined();
    expect(eventsOf({
      operation: operations.addDocument,
      input: { collection: 7, key: {} },
      caller: { protocol: 'http', requestId: '1' },
      milliseconds: 1,
    } as never)[0]!.collection).toBeUndefined();
  });
});

describe('over every protocol', () => {
  let server: DocsServer;
  let grpc: GrpcClient;
  beforeAll(async () => {
    server = await startDocsServer({ env: { SVC_AUDIT_ENABLED: 'true', SVC_MCP_TOOLSET: 'full' } });
    grpc = new GrpcClient(server.listeners.grpc!.url);
  });
  afterAll(async () => {
    grpc.close();
    await server.stop();
  });

  const post = async (url: string, body: object, headers: Record<string, string> = {}): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).toBe(200);
  };
  const write: Record<string, (key: string) => Promise<unknown>> = {
    http: (key) => post(`${server.url}/v1/add`, { collection: 'blog', key, lang: 'en', contentMd: 'x' }),
    graphql: (key) =>
      post(`${server.url}/graphql`, {
        query:
          `mutation { addDocument(input: {collection: "blog", key: "${key}", lang: "en", contentMd: "x"}) { key } }`,
      }),
    grpc: (key) => grpc.call('Add', { collection: 'blog', key, lang: 'en', contentMd: 'x' }),
    mcp: (key) =>
      post(server.listeners.mcp!.url, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'add_document',
          arguments: { collection: 'blog', key, lang: 'en', content_md: 'x' },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }, {
        'Accept': 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'add_document',
      }),
  };

  it.each(Object.keys(write))('%s names them in the log, which is narrowed by them', async (protocol) => {
    await write[protocol]!(`by-${protocol}`);
    const found = (await (await fetch(`${server.url}/v1/audit?collection=blog&key=by-${protocol}`)).json()) as {
      events: AuditEvent[];
    };
    expect(found.events).toMatchObject([{
      action: 'write./v1/add',
      collection: 'blog',
      key: `by-${protocol}`,
      lang: 'en',
      result: 'ok',
    }]);
    const overGrpc = await grpc.call<{ events: object[] }>('ListAudit', { collection: 'blog', key: `by-${protocol}` });
    expect(overGrpc.events).toMatchObject([{ collection: 'blog', key: `by-${protocol}`, lang: 'en' }]);
  });
});
