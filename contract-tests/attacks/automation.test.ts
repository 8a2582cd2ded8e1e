import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { HttpClient } from '../../src/testkit/http-client.ts';

const URL = 'http://127.0.0.1:9/hook';
const TRIGGER = { type: 'trigger', name: 'T', query: 'router', webhookUrl: URL };
const CRON = { type: 'cron', name: 'C', query: 'router', schedule: '@daily', webhookUrl: URL };
const TARGET = { type: 'webhook', name: 'W', url: URL };

/** Rules that must be rejected, and the field that the message names. */
const REFUSED: readonly (readonly [string, object])[] = [['threshold', { ...TRIGGER, threshold: -1 }], ['threshold', {
  ...TRIGGER,
  threshold: 1e9,
}], ['threshold', { ...TRIGGER, threshold: 'high' }], ['threshold', { ...TRIGGER, threshold: null }], ['sentimentMin', {
  ...TRIGGER,
  sentimentEnabled: true,
  sentimentMin: -2,
}], ['sentimentMin', { ...TRIGGER, sentimentEnabled: true, sentimentMin: 0.5, sentimentMax: 0.4 }], ['sentimentMax', {
  ...TRIGGER,
  sentimentMax: 'x',
}], ['conditionLogic', { ...TRIGGER, conditionLogic: 'xor' }], ['searchType', { ...TRIGGER, searchType: 'magic' }], [
  'topK',
  { ...TRIGGER, searchParams: { topK: 0 } },
], ['alpha', { ...TRIGGER, searchParams: { alpha: 2 } }], ['events', { ...TRIGGER, events: [] }], ['events', {
  ...TRIGGER,
  events: ['doc.exploded'],
}], ['query', { ...TRIGGER, query: 'x'.repeat(5000) }], ['query', { ...TRIGGER, query: '   ' }], ['collection', {
  ...TRIGGER,
  collection: '_memory',
}], ['name', { ...TRIGGER, name: '' }], ['webhookUrl', { ...TRIGGER, webhookUrl: 'javascript:alert(1)' }], [
  'webhookUrl',
  { ...TRIGGER, webhookUrl: '{{doc.meta.url}}' },
], ['webhookUrl', { ...TRIGGER, webhookUrl: 'http://169.254.169.254/{{doc.key}}' }], ['webhookUrl', {
  ...TRIGGER,
  webhookUrl: 'http://[::ffff:10.0.0.1]/',
}], ['webhookUrl', { ...TRIGGER, webhookUrl: 'http://user:{{doc.key}}@example.com/' }], ['webhookUrl', {
  ...TRIGGER,
  webhookUrl: '',
}], ['webhookId', { ...TRIGGER, webhookId: 'auto_none' }], ['schedule', { ...CRON, schedule: undefined }], ['schedule',
  { ...CRON, schedule: '61 * * * *' }], ['schedule', { ...CRON, schedule: '*/0 * * * *' }], ['schedule', {
  ...CRON,
  schedule: `${'1,'.repeat(200)}1 * * * *`,
}], ['schedule', { ...CRON, schedule: '__proto__' }], ['triggerId', { ...CRON, triggerId: 'auto_none' }], ['url', {
  ...TARGET,
  url: undefined,
}], ['url', { ...TARGET, url: 'http://10.0.0.1/' }], ['method', { ...TARGET, method: 'DELETE' }], ['headers', {
  ...TARGET,
  headers: { Host: 'inner' },
}], ['headers', { ...TARGET, headers: { 'Transfer-Encoding': 'chunked' } }], ['headers', {
  ...TARGET,
  headers: { 'X-A': '1', 'x-a': '2' },
}], ['headers', { ...TARGET, headers: { 'X A': '1' } }], ['headers', {
  ...TARGET,
  headers: Object.fromEntries([1, 2, 3].map((n) => [`X-${n}`, 'v'.repeat(8000)])),
}]];

describe('automation rules that could do harm', () => {
  let server: DocsServer;
  let client: HttpClient;
  beforeAll(async () => {
    server = await startDocsServer();
    client = new HttpClient(server.url);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  it.each(REFUSED.map(([field, rule], i) => [field, i, rule] as const))('are refused for their %s (%i)',
    async (field, _, rule) => {
      const answer = await client.post('/v1/automation', rule);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)]);
      expect(server.errors).toEqual([]);
    });

  it('are answered in time, however many braces their templates have', async () => {
    const url = `${URL}?${'{{'.repeat(2000)}${'{{a'.repeat(1000)}`;
    const answer = await client.post('/v1/automation', { ...TARGET, url });
    expect(answer.status).toBe(201);
    const tested = await client.post('/v1/automation', { ...TRIGGER, name: '{{trigger.name}}', webhookUrl: url });
    expect((await client.post(`/v1/automation/${tested.json<{ id: string }>().id}/test`, {})).status).toBe(200);
  });

  it('show no secret, neither in rules nor in the dry run', async () => {
    const secret = 'own-secret-5f2b8c0d';
    const { id } = (await client.post('/v1/automation', { ...TARGET, secret })).json<{ id: string }>();
    for (const answer of [await client.get(`/v1/automation/${id}`), await client.get('/v1/automation'),
      await client.get('/v1/config')]) expect(answer.text).not.toContain(secret);
    expect((await client.post(`/v1/automation/${id}`, { ...TARGET, url: 'http://127.0.0.1:10/' }, 'PUT')).status).toBe(
      400,
    );
  });
});
