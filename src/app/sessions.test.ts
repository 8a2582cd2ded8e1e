import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../testkit/docs-server.ts';
import { encode, GrpcClient } from '../testkit/grpc-client.ts';
import { type Answer, HttpClient } from '../testkit/http-client.ts';
import { mcpUrl, RawClient } from '../testkit/mcp-clients.ts';

let server: DocsServer;
let http: HttpClient;
let grpc: GrpcClient;
let mcp: RawClient;

beforeAll(async () => {
  server = await startDocsServer({ env: { SVC_MIN_LSN_WAIT: '0s', SVC_EMBEDDING_PROVIDER: 'builtin' } });
  [http, grpc, mcp] = [new HttpClient(server.url), new GrpcClient(server.listeners.grpc!.url),
    new RawClient(mcpUrl(server))];
});
afterAll(async () => {
  http.close();
  grpc.close();
  mcp.close();
  await server.stop();
});

const BODY = { collection: 'c', key: 'k', lang: 'en', contentMd: '# Fox' };
const NAMES = { collection: 'c', key: 'k', lang: 'en' };
const send = (path: string, value: object, headers: Record<string, string>) =>
  http.send('POST', path, { headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(value) });
const get = (headers: Record<string, string> = {}) => send('/v1/get', NAMES, headers);
const search = (headers: Record<string, string>) => send('/v1/fts', { collection: 'c', query: 'fox' }, headers);
const graphql = (query: string, headers: Record<string, string> = {}) => send('/graphql', { query }, headers);
const lsnOf = ({ headers }: Pick<Answer, 'headers'>): number => Number(headers['x-quire-lsn'] ?? Number.NaN);

describe('the response to a write', () => {
  it('has the number of the change feed that has it, over REST, GraphQL, gRPC and MCP', async () => {
    const rest = lsnOf(await http.post('/v1/add', BODY));
    const mutation = lsnOf(await graphql('mutation { deleteDocument(collection: "c", key: "k", lang: "en") }'));
    const { head } = await grpc.exchange('Add', encode('Add', BODY));
    const tool = lsnOf(await mcp.stateless('tools/call', { name: 'delete_document', arguments: NAMES }));
    const numbers = [rest, mutation, Number(head.get('x-quire-lsn')[0]), tool];
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(4);
    expect(numbers.every(Number.isSafeInteger)).toBe(true);
  });

  it('has none where nothing was written', async () => {
    expect(lsnOf(await http.get('/v1/stats'))).toBeNaN();
    expect(lsnOf(await http.post('/v1/add', { collection: 'c' }))).toBeNaN();
  });
});

describe('a request that names a number', () => {
  it('is answered when the server has it', async () => {
    const lsn = String(lsnOf(await http.post('/v1/add', BODY)));
    const named = { 'X-Quire-Min-LSN': lsn };
    expect([(await get(named)).status, (await search(named)).json<{ total: number }>().total]).toEqual([200, 1]);
    expect((await graphql('{ stats { mode } }', named)).json()).not.toHaveProperty('errors');
    await grpc.exchange('Get', encode('Get', NAMES), { metadata: named });
    expect(
      (await mcp.stateless('tools/call', { name: 'get_document', arguments: NAMES }, { headers: named })).answer.result
        ?.['isError'],
    ).not.toBe(true);
  });

  it('is refused with 503 where the server does not reach it in time', async () => {
    const named = { 'X-Quire-Min-LSN': '999999' };
    for (const answer of [await get(named), await search(named)]) {
      expect([answer.status, answer.headers['retry-after'], answer.json()]).toMatchObject([503, '1', {
        code: 'lsn_not_reached',
        error: expect.stringContaining('999999'),
      }]);
    }
    expect((await graphql('{ stats { mode } search(input: {collection: "c"}) { totalCount } }', named)).json())
      .toMatchObject({ errors: [{ extensions: { code: 'lsn_not_reached' } }, {}] });
    await expect(grpc.exchange('Get', encode('Get', NAMES), { metadata: named })).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
    expect((await http.send('GET', '/health', { headers: named })).status).toBe(200);
  });

  it.each(['', 'x', '-1', '1.5', '1e3', '99999999999999999999'])('is refused with 400 where it is %j',
    async (value) => {
      const named = { 'X-Quire-Min-LSN': value };
      for (const answer of [await get(named), await graphql('{ stats { mode } }', named),
        await mcp.stateless('tools/list', {}, { headers: named })]) expect(answer.status).toBe(400);
      if (value !== '')
        await expect(grpc.exchange('Get', encode('Get', NAMES), { metadata: named })).rejects.toMatchObject({
          code: status.INVALID_ARGUMENT,
        });
    });
});
