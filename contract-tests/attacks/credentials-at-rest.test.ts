import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import inputs from '../../generated/docs/inputs.json' with { type: 'json' };
import { operations } from '../../generated/docs/operations.ts';
import type { Environment } from '../../src/app/settings/index.ts';
import type { OperationSpec } from '../../src/operations/index.ts';
import { startDocsServer } from '../../src/testkit/docs-server.ts';
import { WebhookEndpoint } from '../../src/testkit/webhook-endpoint.ts';
import { AccessServer, AT_REST, bearer, type Credential } from '../support/access-server.ts';
import { exampleCalls } from '../support/examples.ts';

// A credential that a user stores is in no file and in no answer (decision D-173). The fields are those that the
// specification marks with `x-secret`.

interface Schema {
  readonly 'x-secret'?: true | 'query';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const SCHEMAS = inputs as unknown as Readonly<Record<string, Schema>>;

/** The fields of an object, with those keywords that stand beside a reference. */
function fieldsOf(root: Schema, schema: Schema): (readonly [string, Schema])[] {
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const target = field.$ref === undefined ? undefined : root.$defs?.[field.$ref.replace('#/$defs/', '')];
    return [name, { ...target, ...field }] as const;
  });
}

/** Paths of the credentials in an input, such as `wordpress.apiKey`. */
function secretsOf(root: Schema, schema = root): string[] {
  return fieldsOf(root, schema).flatMap((
    [name, field],
  ) => [...(field['x-secret'] === undefined ? [] : [name]),
    ...secretsOf(root, field).map((path) => `${name}.${path}`)]
  );
}

const SECRET_FIELDS = new Map(
  Object.entries(SCHEMAS).map(([id, schema]) => [id, secretsOf(schema)] as const).filter(([, fields]) =>
    fields.length > 0
  ),
);

/** What is looked for; each field has its own, so that a failure names it. */
const markerOf = (id: string, field: string): string => `Zq7${id}${field.replaceAll('.', '')}`;

type Secret = (field: string) => string;
interface World {
  readonly url: string;
  /** Ids of what was created, by operation. */
  readonly ids: Readonly<Record<string, string>>;
}

/**
 * An input for each operation with credentials. Those without a body that succeeds are sent all the same: what is
 * refused must not be stored either.
 */
const INPUTS: Readonly<Record<string, (secret: Secret, world: World) => Record<string, unknown>>> = {
  login: (secret) => ({ username: 'nobody', password: secret('password') }),
  finishOidcSignIn: (secret) => ({ flow: secret('flow'), query: secret('query') }),
  registerUser: (secret) => ({ username: 'eve', password: secret('password') }),
  changePassword: (secret) => ({ oldPassword: secret('oldPassword'), newPassword: secret('newPassword') }),
  redeemPasswordReset: (secret) => ({ username: 'eve', token: secret('token'), newPassword: secret('newPassword') }),
  disableMcpKey: (secret) => ({ key: secret('key') }),
  deleteMcpKey: (secret) => ({ key: secret('key') }),
  createWebhook: (secret, { url }) => ({
    url: `${url}/hook?token=${secret('url')}`,
    events: ['*'],
    secret: secret('secret'),
  }),
  updateWebhook: (secret, { url, ids }) => ({
    id: ids['createWebhook'],
    url: `${url}/hooks?token=${secret('url')}`,
    secret: secret('secret'),
  }),
  createAutomationRule: (secret, { url }) => ({
    type: 'webhook',
    name: 'Target',
    url: `${url}/rule?token=${secret('url')}`,
    webhookUrl: `${url}/own?token=${secret('webhookUrl')}`,
    headers: { Authorization: secret('headers') },
    secret: secret('secret'),
  }),
  updateAutomationRule: (secret, { url, ids }) => ({
    id: ids['createAutomationRule'],
    type: 'webhook',
    name: 'Target',
    url: `${url}/rules?token=${secret('url')}`,
    webhookUrl: `${url}/own?token=${secret('webhookUrl')}`,
    headers: { Authorization: secret('headers'), 'X-Plain': 'plain' },
    secret: secret('secret'),
  }),
  setCollectionConfig: (secret) => ({
    collection: 'notes',
    storageConfig: { endpoint: 's3.example.org', bucket: 'b', secretKey: secret('storageConfig.secretKey') },
    wordpress: { url: `https://blog.example.org/?key=${secret('wordpress.url')}`, apiKey: secret('wordpress.apiKey') },
  }),
  createEmbeddingConfig: (secret, { url }) => ({
    name: 'own',
    provider: 'openai',
    model: 'm',
    dimensions: 4,
    apiKey: secret('apiKey'),
    apiUrl: `${url}/v1?key=${secret('apiUrl')}`,
  }),
  updateEmbeddingConfig: (secret, { url, ids }) => ({
    id: ids['createEmbeddingConfig'],
    apiKey: secret('apiKey'),
    apiUrl: `${url}/v2?key=${secret('apiUrl')}`,
  }),
  submitBulkIngest: (secret, { url }) => ({
    collection: 'notes',
    documents: [{ key: 'bulk', lang: 'en', contentMd: 'bulk' }],
    callbackUrl: `${url}/done?token=${secret('callbackUrl')}`,
  }),
};

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const ENV: Environment = { ...AT_REST, SVC_BINLOG_ENABLED: 'true' };

const specOf = (id: string): OperationSpec => (operations as Readonly<Record<string, OperationSpec>>)[id]!;

interface Sending {
  send(method: string, path: string, credential: Credential,
    body?: unknown): Promise<{ readonly status: number; readonly text: string }>;
}

/** Stores a credential in every field, and returns what to look for. */
async function storeAll(server: Sending, credential: Credential, url: string): Promise<string[]> {
  const ids: Record<string, string> = {};
  const markers: string[] = [];
  const order = [...SECRET_FIELDS.keys()].sort((a, b) =>
    Object.keys(INPUTS).indexOf(a) - Object.keys(INPUTS).indexOf(b)
  );
  for (const id of order) {
    const given: string[] = [];
    const input = INPUTS[id]!((field) => {
      given.push(field);
      markers.push(markerOf(id, field));
      return markerOf(id, field);
    }, { url, ids });
    expect([id, given.toSorted()]).toEqual([id, SECRET_FIELDS.get(id)!.toSorted()]);
    const { method, path, parameters } = specOf(id);
    const body = { ...input };
    const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(input[name]));
    for (const parameter of parameters) if (parameter.in === 'path') delete body[parameter.field];
    const { text } = await server.send(method, target, credential, body);
    const found = /"id":"([^"]+)"/.exec(text)?.[1];
    if (found !== undefined) ids[id] = found;
    expect([id, markers.filter((marker) => text.includes(marker))]).toEqual([id, []]);
  }
  return markers;
}

/** Each text as it may stand in a file: plain, in UTF-16, and in base64 at each offset. */
function formsOf(marker: string): Buffer[] {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), Buffer.from(marker)]).toString('base64').slice(offset === 0 ? 0 : offset + 1,
      -4)
  );
  return [Buffer.from(marker), Buffer.from(marker, 'utf16le'), ...base64.map((text) => Buffer.from(text))];
}

async function foundIn(folder: string, markers: readonly string[]): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(
    (entry) => join(entry.parentPath, entry.name)
  );
  const found: string[] = [];
  for (const name of names) {
    const bytes = await readFile(name).catch(() => Buffer.alloc(0));
    found.push(
      ...markers.filter((marker) => formsOf(marker).some((form) => bytes.includes(form))).map((marker) =>
        `${name.slice(folder.length)}: ${marker}`
      ),
    );
  }
  return found;
}

describe('credentials (decision D-173)', () => {
  it('are marked in the specification, and each has a test below', () => {
    expect([...SECRET_FIELDS.keys()].toSorted()).toEqual(Object.keys(INPUTS).toSorted());
    // A field whose name says that it is a credential, or an address to which the server sends, is marked.
    const suspects = Object.entries(SCHEMAS).flatMap(([id, schema]) =>
      fieldsOf(schema, schema).filter(([name, field]) =>
        /secret|password|apiKey$|headers|callback|webhookUrl|apiUrl/i.test(name) && field['x-secret'] === undefined &&
        !/Set$|Change/.test(name)
      ).map(([name]) => `${id}.${name}`)
    );
    expect(suspects).toEqual([]);
  });

  it('are in no file and in no answer of a server with a key', async () => {
    const endpoint = await WebhookEndpoint.open();
    closers.push(() => endpoint.close());
    const server = await AccessServer.start(ENV);
    closers.push(() => server.stop());
    const markers = await storeAll(server, server.admin, new URL(endpoint.url).origin);
    const { rules } = await server.manage<{ rules: { id: string }[] }>('GET', '/v1/automation');
    // Deliveries of all kinds, of which some fail, so that errors are stored, too.
    await server.manage('POST', '/v1/automation', {
      type: 'trigger',
      name: 'T',
      query: 'word',
      collection: 'notes',
      webhookId: rules[0]!.id,
    });
    await server.manage('POST', '/v1/add', { collection: 'notes', key: 'a', lang: 'en', contentMd: 'a word' });
    await expect.poll(async () => (await server.send('GET', '/v1/automation-logs', server.admin)).text, {
      timeout: 10_000,
    }).toContain('"success"');
    await expect.poll(() => endpoint.received.filter(({ path }) => path.startsWith('/done')).length, {
      timeout: 10_000,
    }).toBe(1);
    expect(endpoint.received.some(({ path }) => path.includes('token='))).toBe(true);

    await server.manage('POST', '/v1/backup', { to: 'all.db' });
    expect(await foundIn(server.server.folder, markers)).toEqual([]);

    await server.manage('POST', '/v1/auth/register', {
      username: 'other',
      password: 'an administrator too',
      admin: true,
    });
    const other = bearer(await server.login('other', 'an administrator too'));
    for (const { operationId, method, path, produces, options } of exampleCalls('docs')) {
      if (specOf(operationId).effect === 'write' || specOf(operationId).stores === true) continue;
      const target = path.replaceAll(/\{\w+\}/g,
        (name) => (path.includes('/automation/') ? rules[0]!.id : name.slice(1, -1)));
      const { text } = await server.send(method.toUpperCase(),
        target + (produces.includes('text/event-stream') ? '?follow=false' : ''), other, options.body);
      expect([operationId, markers.filter((marker) =>
        formsOf(marker).some((form) => Buffer.from(text).includes(form))
      )]).toEqual([operationId, []]);
    }
    for (const path of ['/v1/automation', '/v1/webhooks', '/v1/embedding-configs', '/v1/collection-configs',
      '/v1/bulk-ingest-jobs', '/v1/automation-logs'])
    {
      expect((await server.send('GET', path, other)).text).toMatch(/https?:\/\/\S/);
    }
  });

  it('that were stored without a key are encrypted with the first start that has one, and are nowhere in the file then', async () => {
    const endpoint = await WebhookEndpoint.open();
    closers.push(() => endpoint.close());
    const folder = await mkdtemp(join(tmpdir(), 'quire-credentials-'));
    closers.push(() => rm(folder, { recursive: true }));
    const path = { SVC_PATH: join(folder, 'quire.db') };
    const first = await AccessServer.start({ ...path, SVC_AUDIT_ENABLED: 'true' });
    const markers = await storeAll(first, first.admin, new URL(endpoint.url).origin);
    await first.stop();
    expect((await foundIn(folder, markers)).length).toBeGreaterThan(0);

    const second = await startDocsServer({ env: { ...AT_REST, ...path } });
    closers.push(() => second.stop());
    await expect.poll(() => foundIn(folder, markers), { timeout: 10_000 }).toEqual([]);
  });
});
