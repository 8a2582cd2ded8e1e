import { importJWK, jwtVerify } from 'jose';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeStore, SecretsFixture } from '../test-fixture.ts';
import { signedHeaders } from './sigv4.ts';

let store: FakeStore;
let folder: string;
beforeEach(async () => {
  [store, folder] = await Promise.all([FakeStore.start(), mkdtemp(join(tmpdir(), 'sources-'))]);
});
afterEach(() => Promise.all([store.stop(), rm(folder, { recursive: true })]));

const paths = (): string[] => store.received.map(({ method, path }) => `${method} ${path}`);

// Requests and answers as in developer.hashicorp.com/vault/api-docs: secret/kv/kv-v2 (Read secret version),
// auth/approle (Login With AppRole), auth/kubernetes (Login), and index (Namespaces).
describe('HashiCorp Vault', () => {
  const SECRET = 'secrets: [{name: A, vault: {path: team/deploy key, field: token}}]\n';
  const version = (data: object) => ({ status: 200, body: { data: { data, metadata: { version: 3 } } } });

  it('is asked with a token, for a field of a secret', async () => {
    const fixture = new SecretsFixture(
      `${SECRET}secret_sources: {vault: {address: ${store.url}, namespace: eng/ci, token_env: VAULT_TOKEN}}`,
    );
    fixture.variables['VAULT_TOKEN'] = 'hvs.token';
    store.answer = () => version({ token: 'value', other: 1 });
    expect(await fixture.values(['A'])).toEqual({ A: 'value' });
    expect(store.received).toMatchObject([{
      method: 'GET',
      path: '/v1/secret/data/team/deploy%20key',
      headers: { 'x-vault-token': 'hvs.token', 'x-vault-namespace': 'eng/ci' },
    }]);
    // Kept for a minute.
    await fixture.values(['A']);
    expect(store.received).toHaveLength(1);
  });

  it('takes the token of a file that an agent keeps current', async () => {
    const file = join(folder, 'token');
    await writeFile(file, 'first\n');
    const fixture = new SecretsFixture(
      `${SECRET}secret_sources: {cache: '0', vault: {address: ${store.url}, token_file: ${file}}}`,
    );
    store.answer = ({ headers }) => version({ token: headers['x-vault-token'] });
    expect(await fixture.values(['A'])).toEqual({ A: 'first' });
    await writeFile(file, 'second\n');
    expect(await fixture.values(['A'])).toEqual({ A: 'second' });
  });

  it('is logged in to by AppRole, again before the token ends and when it was revoked', async () => {
    const fixture = new SecretsFixture(
      `${SECRET}secret_sources: {cache: '0', vault: {address: ${store.url}, approle: {role_id: role, secret_id_env: ID}}}`,
    );
    fixture.variables['ID'] = 'secret-id';
    let [logins, revoked] = [0, ''];
    store.answer = ({ path, headers }) => {
      if (path.endsWith('/login'))
        return { status: 200, body: { auth: { client_token: `token-${++logins}`, lease_duration: 100 } } };
      return headers['x-vault-token'] === revoked ? { status: 403 } : version({ token: headers['x-vault-token'] });
    };
    expect(await fixture.values(['A'])).toEqual({ A: 'token-1' });
    expect(store.received[0]).toMatchObject({
      path: '/v1/auth/approle/login',
      body: '{"role_id":"role","secret_id":"secret-id"}',
    });
    fixture.clock.ms += 79_000;
    expect(await fixture.values(['A'])).toEqual({ A: 'token-1' });
    fixture.clock.ms += 1000;
    expect(await fixture.values(['A'])).toEqual({ A: 'token-2' });
    revoked = 'token-2';
    expect(await fixture.values(['A'])).toEqual({ A: 'token-3' });
  });

  it('is logged in to by the service account of a pod', async () => {
    const file = join(folder, 'jwt');
    await writeFile(file, 'jwt-of-the-pod');
    const fixture = new SecretsFixture(
      `${SECRET}secret_sources: {vault: {address: ${store.url}, kubernetes: {mount: k8s, role: runs, token_file: ${file}}}}`,
    );
    store.answer = ({ path }) =>
      path.endsWith('/login')
        ? { status: 200, body: { auth: { client_token: 't', lease_duration: 100 } } }
        : version({ token: 'value' });
    expect(await fixture.values(['A'])).toEqual({ A: 'value' });
    expect(store.received[0]).toMatchObject({
      path: '/v1/auth/k8s/login',
      body: '{"role":"runs","jwt":"jwt-of-the-pod"}',
    });
  });

  it('says what it refused, and never what it said', async () => {
    const fixture = new SecretsFixture(
      `${SECRET}secret_sources: {cache: '0', vault: {address: ${store.url}, token_env: VAULT_TOKEN}}`,
    );
    expect(await fixture.why(['A'])).toContain('Vault: the variable VAULT_TOKEN is not set');
    fixture.variables['VAULT_TOKEN'] = 'hvs.token';
    store.answer = () => ({ status: 403, body: { errors: ['hush'] } });
    expect(await fixture.why(['A'])).toBe('the secret A is not available: secret/team/deploy key in Vault: status 403');
    store.answer = () => version({ other: 'hush' });
    expect(await fixture.why(['A'])).toContain('has no field token');
    store.answer = () => ({ status: 404 });
    expect(await fixture.why(['A'])).toContain('its source has no value');
  });

  it('is asked once more if it is not ready', async () => {
    const fixture = new SecretsFixture(
      `${SECRET}secret_sources: {vault: {address: ${store.url}, token_env: VAULT_TOKEN}}`,
    );
    fixture.timer.sleep = async (milliseconds, signal) => {
      if (milliseconds > 1000)
        await new Promise<void>((resolve) => signal!.addEventListener('abort', () => resolve(), { once: true }));
    };
    fixture.variables['VAULT_TOKEN'] = 'hvs.token';
    store.answer = () => (store.received.length === 1 ? { status: 503 } : version({ token: 'value' }));
    expect(await fixture.values(['A'])).toEqual({ A: 'value' });
  });
});

// The request and the answer of docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html.
describe('AWS Secrets Manager', () => {
  const config = (secret: string): string =>
    `secrets: [${secret}]\nsecret_sources: {cache: '0', aws: {region: eu-central-1, endpoint: ${store.url}}}`;

  it('is asked with a signed request, for a text or a field of it', async () => {
    const fixture = new SecretsFixture(
      config('{name: A, aws: {id: team/deploy}}, {name: B, aws: {id: json, field: key}}'),
    );
    Object.assign(fixture.variables, {
      AWS_ACCESS_KEY_ID: 'AKIA',
      AWS_SECRET_ACCESS_KEY: 'hush',
      AWS_SESSION_TOKEN: 'session',
    });
    store.answer = ({ body }) => ({
      status: 200,
      body: { SecretString: body.includes('json') ? '{"key": 42}' : 'value' },
    });
    expect(await fixture.values(['A', 'B'])).toEqual({ A: 'value', B: '42' });
    const { method, path, headers, body } = store.received.find((each) => each.body.includes('team'))!;
    expect({ method, path, body }).toEqual({ method: 'POST', path: '/', body: '{"SecretId":"team/deploy"}' });
    expect(headers).toMatchObject({
      'x-amz-target': 'secretsmanager.GetSecretValue',
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-date': '20260101T000000Z',
      'x-amz-security-token': 'session',
    });
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIA\/20260101\/eu-central-1\/secretsmanager\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
    );
  });

  it('has no value of an unknown secret, and says what is missing', async () => {
    const fixture = new SecretsFixture(config('{name: A, aws: {id: none}}'));
    expect(await fixture.why(['A'])).toContain('the variable AWS_ACCESS_KEY_ID is not set');
    Object.assign(fixture.variables, { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'hush' });
    store.answer = () => ({ status: 400, body: { __type: 'ResourceNotFoundException', Message: 'none' } });
    expect(await fixture.why(['A'])).toContain('its source has no value');
    store.answer = () => ({ status: 400, body: { __type: 'AccessDeniedException', Message: 'hush' } });
    expect(await fixture.why(['A'])).toBe('the secret A is not available: none in AWS Secrets Manager: status 400');
  });

  it('gets the signature of the test suite of AWS (post-x-www-form-urlencoded)', () => {
    const { authorization } = signedHeaders({
      url: new URL('https://example.amazonaws.com/'),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'Param1=value1',
      region: 'us-east-1',
      service: 'service',
      accessKey: 'AKIDEXAMPLE',
      secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      sessionToken: '',
      date: new Date('2015-08-30T12:36:00Z'),
    });
    expect(authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    );
  });
});

// developers.google.com/identity/protocols/oauth2/service-account#httprest and
// cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access.
describe('Google Secret Manager', () => {
  it('is asked with a token for which the key of a service account signs', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const file = join(folder, 'key.json');
    await writeFile(file, JSON.stringify({
      client_email: 'runs@our-project.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      private_key_id: 'key-1',
      token_uri: `${store.url}/token`,
    }));
    const fixture = new SecretsFixture(
      `secrets: [{name: A, google: {name: deploy}}, {name: B, google: {name: none, version: '3'}}]
secret_sources: {cache: '0', google: {project: our-project, credentials_file: ${file}, endpoint: ${store.url}}}`,
    );
    store.answer = ({ path }) => {
      if (path === '/token') return { status: 200, body: { access_token: 'ya29', expires_in: 3599 } };
      return path.includes('deploy')
        ? { status: 200, body: { payload: { data: Buffer.from('value').toString('base64') } } }
        : { status: 404 };
    };
    expect(await fixture.values(['A'])).toEqual({ A: 'value' });
    expect(await fixture.why(['B'])).toContain('its source has no value');
    expect(paths()).toEqual(['POST /token', 'GET /v1/projects/our-project/secrets/deploy/versions/latest:access',
      'GET /v1/projects/our-project/secrets/none/versions/3:access']);
    expect(store.received[1]!.headers.authorization).toBe('Bearer ya29');
    const form = new URLSearchParams(store.received[0]!.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const { payload, protectedHeader } = await verified(form.get('assertion')!, publicKey, fixture.clock.ms);
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: 'key-1' });
    expect(payload).toMatchObject({
      iss: 'runs@our-project.iam.gserviceaccount.com',
      aud: `${store.url}/token`,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
  });

  it('needs the key of a service account', async () => {
    await writeFile(join(folder, 'key.json'), '{"private_key": "hush"}');
    const fixture = new SecretsFixture(`secrets: [{name: A, google: {name: deploy}}]
secret_sources: {google: {project: our-project, credentials_file: ${folder}/key.json, endpoint: ${store.url}}}`);
    expect(await fixture.why(['A'])).toMatch(/key\.json is not the key of a service account$/);
  });
});

async function verified(token: string, publicKey: KeyObject, now: number) {
  const key = await importJWK(publicKey.export({ format: 'jwk' }), 'RS256');
  return jwtVerify(token, key, { currentDate: new Date(now) });
}

// learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow and
// learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret.
describe('Azure Key Vault', () => {
  const config = (credential: string): string =>
    `secrets: [{name: A, azure: {name: deploy}}]
secret_sources: {cache: '0', azure: {vault: ${store.url}, authority: ${store.url}, tenant: our-tenant, client_id: app, ${credential}}}`;
  beforeEach(() => {
    store.answer = ({ path }) =>
      path.includes('/token')
        ? { status: 200, body: { access_token: 'eyJ0', expires_in: 3599 } }
        : { status: 200, body: { value: 'value', id: 'x' } };
  });

  it('is asked by an application with a secret', async () => {
    const fixture = new SecretsFixture(config('client_secret_env: AZURE'));
    fixture.variables['AZURE'] = 'hush';
    expect(await fixture.values(['A'])).toEqual({ A: 'value' });
    expect(paths()).toEqual(['POST /our-tenant/oauth2/v2.0/token', 'GET /secrets/deploy?api-version=7.4']);
    expect(Object.fromEntries(new URLSearchParams(store.received[0]!.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app',
      client_secret: 'hush',
      scope: 'https://vault.azure.net/.default',
    });
    expect(store.received[1]!.headers.authorization).toBe('Bearer eyJ0');
  });

  it('is asked by a workload identity', async () => {
    await writeFile(join(folder, 'federated'), 'token-of-the-pod');
    const fixture = new SecretsFixture(config(`token_file: ${folder}/federated`));
    expect(await fixture.values(['A'])).toEqual({ A: 'value' });
    expect(Object.fromEntries(new URLSearchParams(store.received[0]!.body))).toMatchObject({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: 'token-of-the-pod',
    });
  });
});
