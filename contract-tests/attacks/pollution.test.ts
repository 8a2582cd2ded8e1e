import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { GrpcClient } from '../../src/testkit/grpc-client.ts';
import { type Answer, HttpClient } from '../../src/testkit/http-client.ts';
import { ENVELOPE, mcpUrl, RawClient } from '../../src/testkit/mcp-clients.ts';

let server: DocsServer;
let client: HttpClient;

// The server runs in this process, so its prototypes are the test's.
const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype];
const shapes = (): string[][] => PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).map(String).sort());
const before = shapes();

beforeAll(async () => {
  // Unknown fields are rejected; if they are ignored, they must do no harm.
  server = await startDocsServer({ env: { SVC_STRICT_INPUT: 'false' } });
  client = new HttpClient(server.url);
});
afterAll(async () => {
  client.close();
  await server.stop();
});
afterEach(() => {
  expect(shapes(), 'a prototype of all objects was changed').toEqual(before);
});

const raw = (path: string, body: string, method = 'POST'): Promise<Answer> =>
  client.send(method, path, { headers: { 'Content-Type': 'application/json' }, body });

const POISON = '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}';
const META_POISON =
  '"__proto__":["polluted"],"constructor":["polluted"],"prototype":["polluted"],"toString":["polluted"]';
const META = JSON.parse(`{${META_POISON}}`) as Record<string, string[]>;

describe('names of the runtime', () => {
  it('beside the fields of a body change nothing', async () => {
    for (const [path, body] of [['/v1/add', '"collection":"blog","key":"k","lang":"en","contentMd":"a"'], ['/v1/fts',
      '"collection":"blog","query":"a"'], ['/v1/search', '"collection":"blog"'], ['/v1/schema/set',
      '"collection":"other","schema":{"required":["a"]}']] as const)
    {
      expect((await raw(path, `{${body},${POISON}}`)).status, path).toBe(200);
      expect((await raw(path, `{${POISON},${body}}`)).status, path).toBe(200);
    }
    expect((await raw('/v1/collection-config', `{"collection":"blog","type":"website",${POISON}}`, 'PUT')).status).toBe(
      200,
    );
    expect((await client.get('/v1/collection-config?collection=blog')).text).not.toContain('polluted');
  });

  it('as keys of metadata are keys like all others', async () => {
    expect(
      (await raw('/v1/add', `{"collection":"blog","key":"m","lang":"en","contentMd":"word","meta":{${META_POISON}}}`))
        .status,
    ).toBe(200);
    expect((await client.post('/v1/get', { collection: 'blog', key: 'm', lang: 'en' })).json<{ meta: object }>().meta)
      .toEqual(META);
    for (const name of Object.keys(META)) {
      const filtered = await raw('/v1/search', `{"collection":"blog","filterMeta":{"${name}":["polluted"]}}`);
      expect(filtered.text, name).toContain('"key":"m"');
      expect((await raw('/v1/search', `{"collection":"blog","filterMeta":{"${name}":["other"]}}`)).text, name).not
        .toContain('"key":"m"');
      const faceted = await raw('/v1/fts', `{"collection":"blog","query":"word","facetBy":["${name}"]}`);
      expect(faceted.status, faceted.text).toBe(200);
    }
    expect((await client.get('/v1/meta-keys?collection=blog')).text).toContain('__proto__');
  });

  it('of a query string are fields like all others', async () => {
    for (const query of ['meta.__proto__=polluted', 'meta.__proto__.polluted=yes', '__proto__=a',
      '__proto__[polluted]=yes', 'constructor.prototype.polluted=yes', 'meta[__proto__][polluted]=yes'])
    {
      expect((await client.get(`/v1/fts?collection=blog&q=word&${query}`)).status).toBeLessThan(500);
    }
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'])(
    'may name what is stored: %s',
    async (name) => {
      const collection = name.startsWith('_') ? `a${name}` : name; // the others belong to the system
      expect((await client.post('/v1/add', { collection, key: name, lang: 'en', contentMd: name })).status).toBe(200);
      expect((await client.post('/v1/get', { collection, key: name, lang: 'en' })).json()).toMatchObject({
        key: name,
        contentMd: name,
      });
      expect(
        (await raw('/v1/schema/set',
          `{"collection":"${collection}","schema":{"properties":{"${name}":{"type":"integer"}}}}`)).status,
      ).toBe(200);
      expect(
        (await raw('/v1/add',
          `{"collection":"${collection}","key":"x","lang":"en","contentMd":"a","meta":{"${name}":["no number"]}}`))
          .status,
      ).toBe(400);
      expect((await client.get(`/v1/checksum?collection=${collection}`)).status).toBe(200);
      expect((await client.post('/v1/delete-collection', { collection })).status).toBeLessThan(500);
    },
  );

  it('of front matter become keys of metadata', async () => {
    const contentMd =
      '---\n__proto__:\n  polluted: yes\nconstructor:\n  prototype:\n    polluted: yes\n"__proto__.x": 1\n---\nbody';
    const answer = await client.post('/v1/ingest', {
      collection: 'blog',
      documents: [{ key: 'f', lang: 'en', contentMd, extractFrontmatter: true }],
    });
    expect(answer.json()).toMatchObject({ added: 1, failed: 0 });
    const { meta } = (await client.post('/v1/get', { collection: 'blog', key: 'f', lang: 'en' })).json<
      { meta: object }
    >();
    expect(Object.getPrototypeOf(meta)).toBe(Object.prototype);
    expect(meta).toMatchObject({ '__proto__.polluted': ['yes'], 'constructor.prototype.polluted': ['yes'] });
  });

  it('of GraphQL are keys, in variables and in the text of a query', async () => {
    const mutation =
      'mutation($meta: JSONObject) { addDocument(input: {collection: "blog", key: "g", lang: "en", contentMd: ' +
      '"a", meta: $meta}) { meta } }';
    const answers = [
      await raw('/graphql', `{"query":${JSON.stringify(mutation)},"variables":{"meta":{${META_POISON}},${POISON}}}`),
      await raw('/graphql', `{"query":"query($__proto__: String) { stats { documents } }","variables":{${POISON}}}`),
      await raw('/graphql', JSON.stringify({ query: '{ __proto__ constructor { prototype } }' })),
    ];
    for (const { status, text } of answers) expect(status, text).toBeLessThan(500);
  });

  it('of gRPC are keys of a map', async () => {
    const grpc = new GrpcClient(server.listeners.grpc!.url);
    const meta = JSON.parse('{"__proto__":{"values":["polluted"]},"constructor":{"values":["polluted"]}}') as Record<
      string,
      { values: string[] }
    >;
    await grpc.call('Add', { collection: 'blog', key: 'r', lang: 'en', contentMd: 'a', meta });
    grpc.close();
    const stored = await client.post('/v1/get', { collection: 'blog', key: 'r', lang: 'en' });
    expect(stored.json<{ meta: object }>().meta).toEqual(
      JSON.parse('{"__proto__":["polluted"],"constructor":["polluted"]}'),
    );
  });

  it('of the arguments of a tool are keys, or none', async () => {
    const mcp = new RawClient(mcpUrl(server));
    const call =
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_document","arguments":{"collection":"blog","key":"t","lang":"en","content_md":"a","meta":{${META_POISON}},${POISON}},"_meta":${
        JSON.stringify(ENVELOPE)
      },${POISON}},${POISON}}`;
    const { status } = await mcp.post(call, {
      'MCP-Protocol-Version': ENVELOPE['io.modelcontextprotocol/protocolVersion'],
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'add_document',
    });
    mcp.close();
    expect(status).toBeLessThan(500);
  });
});
