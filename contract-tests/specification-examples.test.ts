import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, createConfig } from '../generated/docs/sdk/client/index.ts';
import * as functions from '../generated/docs/sdk/sdk.gen.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { type ExampleCall, exampleCalls, specificationFile } from './support/examples.ts';

// A user who tries the specification's examples in their order receives a response to each.

interface Specification {
  readonly servers: readonly { readonly url: string }[];
  readonly components: {
    readonly schemas: Record<string, { readonly examples?: readonly unknown[]; readonly required?: readonly string[] }>;
  };
}

const specification = JSON.parse(readFileSync(specificationFile('docs'), 'utf8')) as Specification;
const calls = exampleCalls('docs');

let server: DocsServer;
beforeAll(async () => {
  server = await startDocsServer({ env: { SVC_EMBEDDING_PROVIDER: 'builtin', SVC_TEMPORAL: 'true' } });
  await send(calls.find(({ operationId }) => operationId === 'addDocument')!);
});
afterAll(() => server.stop());

type Send = (
  options: object,
) => Promise<{ data?: unknown; error?: { error: string; code: string; requestId: string }; response?: Response }>;

function send({ operationId, path, produces, options }: ExampleCall): ReturnType<Send> {
  const client = createClient(createConfig({ baseUrl: server.url }));
  // The function of the SDK returns events, and no response.
  if (produces.includes('text/event-stream'))
    return client.get({ url: path, parseAs: 'text', ...options } as never) as ReturnType<Send>;
  return (functions as unknown as Record<string, Send>)[operationId]!({ client, ...options });
}

describe('an example of a request', () => {
  it.each(calls.map((call) => [call.operationId, call] as const))(
    'of %s is understood, or refused with a code and an id',
    async (_, call) => {
      const { error, response } = await send(call);
      // What an example names may not exist, or not be implemented; the response then says so correctly.
      expect([200, 201, 202, 204, 401, 404, 409, 501, 503, ...(NEEDS_MORE.has(call.operationId) ? [400] : [])],
        JSON.stringify(error)).toContain(response!.status);
      if (response!.status >= 400)
        expect(error).toMatchObject({
          error: expect.any(String),
          code: expect.any(String),
          requestId: response!.headers.get('x-request-id'),
        });
    },
  );
});

/** Operations whose examples need something external: a file, a provider, a collection that was created earlier. */
const NEEDS_MORE = new Set(['restoreBackup', 'createEmbeddingConfig', 'updateEmbeddingConfig', 'setCollectionConfig',
  'rotateEncryption', 'createWebhook', 'importUrl', 'reindexGeo', 'suggestSpelling', 'cleanSpelling', 'listDictionary',
  'addDictionaryWords', 'deleteDictionaryWords']);

describe('the example of FilterMeta', () => {
  it.each(specification.components.schemas['FilterMeta']!.examples!.map((filterMeta) => [filterMeta]))(
    'finds the document of the example of addDocument: %j',
    async (filterMeta) => {
      const found = await functions.searchDocuments({
        client: createClient(createConfig({ baseUrl: server.url })),
        body: { collection: 'blog', filterMeta: filterMeta as Record<string, string[]> },
      });
      expect(found.data!.map(({ key }) => key)).toEqual(['hello-world']);
    },
  );
});

describe('the description', () => {
  it('is of the server that serves it, on every host', async () => {
    const served = await (await fetch(`${server.url}/openapi.json`)).json() as Specification;
    expect(served.servers.map(({ url }) => new URL(url, `${server.url}/openapi.json`).href)).toEqual([
      `${server.url}/`,
    ]);
  });

  it('leaves the SDK with an address of its own', () => {
    expect(functions.getHealth).toBeTypeOf('function');
    const generated = (service: string) =>
      readFileSync(new URL(`../generated/${service}/sdk/client.gen.ts`, import.meta.url), 'utf8');
    expect([generated('docs'), generated('runs')]).toEqual([
      expect.stringContaining("baseUrl: 'http://localhost:11023'"),
      expect.stringContaining("baseUrl: 'http://localhost:11030'"),
    ]);
  });

  it('says of every error that it has a code and an id', () => {
    expect(specification.components.schemas['ErrorBody']!.required).toEqual(['error', 'code', 'requestId']);
  });
});
