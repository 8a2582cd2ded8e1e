import { type ServiceError, status as grpcStatus } from '@grpc/grpc-js';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GrpcClient } from '../../src/testkit/grpc-client.ts';
import { mcpUrl, RawClient } from '../../src/testkit/mcp-clients.ts';
import { AccessServer, bearer, type Credential, SECRET, withOtherSignature } from '../support/access-server.ts';

let access: AccessServer;
let grpc: GrpcClient;
let mcp: RawClient;
/** The parts of a valid token of an ordinary user. */
let good: { readonly header: string; readonly claims: string; readonly signature: string; readonly decoded: object };

beforeAll(async () => {
  access = await AccessServer.start();
  grpc = new GrpcClient(access.server.listeners.grpc!.url);
  mcp = new RawClient(mcpUrl(access.server));
  const [header, claims, signature] = (await access.register('ann')).split('.') as [string, string, string];
  good = { header, claims, signature, decoded: JSON.parse(Buffer.from(claims, 'base64url').toString()) as object };
  await access.grant('ann', 'blog', 'read', 'write');
});
afterAll(async () => {
  grpc.close();
  mcp.close();
  await access.stop();
});

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const PUBLIC_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
  type: 'spki',
  format: 'pem',
}) as string;

function signed(header: object, changed: object, secret: string): string {
  const text = `${encode(header)}.${encode({ ...good.decoded, ...changed })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const ATTACKS: readonly [name: string, forge: () => string][] = [['alg none',
  () => `${encode({ alg: 'none', typ: 'JWT' })}.${good.claims}.`], ['alg none, with the good signature',
  () => `${encode({ alg: 'NONE', typ: 'JWT' })}.${good.claims}.${good.signature}`], [
  'a public key as the secret (key confusion)',
  () => signed({ alg: 'HS256', typ: 'JWT' }, {}, PUBLIC_KEY),
], ['an algorithm with public keys', () => signed({ alg: 'RS256', typ: 'JWT' }, {}, SECRET)], ['a key of its own',
  () => signed({ alg: 'HS256', jwk: { kty: 'oct', k: Buffer.from('own').toString('base64url') } }, {}, 'own')], [
  'a key at an address',
  () => signed({ alg: 'HS256', jku: 'http://127.0.0.1:9/keys', kid: '../../dev/null' }, {}, ''),
], ['the claims of an administrator',
  () => `${good.header}.${encode({ ...good.decoded, username: 'admin', admin: true })}.${good.signature}`], [
  'the name of an administrator, well signed',
  () => signed({ alg: 'HS256', typ: 'JWT' }, { username: 'admin', admin: true }, SECRET),
], ['a changed signature', () => withOtherSignature(`${good.header}.${good.claims}.${good.signature}`)]];

describe('a forged token', () => {
  it('would pass if it were good', async () => {
    const token = signed({ alg: 'HS256', typ: 'JWT' }, {}, SECRET);
    expect((await access.send('GET', '/v1/auth/me', bearer(token))).status).toBe(200);
    expect(await graphql(bearer(token))).toMatchObject({ data: { me: { username: 'ann' } } });
    expect(await rpc(token)).toBe(grpcStatus.NOT_FOUND);
    expect((await tool(bearer(token))).status).toBe(200);
  });

  it.each(ATTACKS)('by %s opens nothing over any protocol', async (_, forge) => {
    const token = forge();
    expect((await access.send('GET', '/v1/auth/me', bearer(token))).status).toBe(401);
    expect((await access.send('GET', '/v1/auth/users', bearer(token))).status).toBe(401);
    expect(await graphql(bearer(token))).toMatchObject({ errors: [{ extensions: { code: 'unauthenticated' } }] });
    expect(await rpc(token)).toBe(grpcStatus.UNAUTHENTICATED);
    const { status, messages } = await tool(bearer(token));
    expect(status === 401 || JSON.stringify(messages).includes('unauthenticated'),
      `MCP: ${status} ${JSON.stringify(messages)}`).toBe(true);
  });

  it('of an ordinary user that claims to be an administrator is what its user is', async () => {
    const token = signed({ alg: 'HS256', typ: 'JWT' }, { admin: true, groups: ['admins'], permissions: ['*'] }, SECRET);
    expect((await access.send('GET', '/v1/auth/users', bearer(token))).status).toBe(403);
    expect((await access.send('GET', '/v1/auth/me', bearer(token))).json()).toMatchObject({
      username: 'ann',
      admin: false,
    });
  });
});

async function graphql(credential: Credential): Promise<unknown> {
  return (await access.send('POST', '/graphql', credential, { query: '{ me { username } }' })).json();
}

async function rpc(token: string): Promise<number> {
  return grpc.call('Get', { collection: 'blog', key: 'absent', lang: 'en' }, {
    metadata: { authorization: `Bearer ${token}` },
  }).then(() => grpcStatus.OK, (error: ServiceError) => error.code);
}

function tool(credential: Credential): ReturnType<RawClient['stateless']> {
  return mcp.stateless('tools/call', { name: 'list_collections', arguments: {} }, { headers: credential });
}
