import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound } from '../../net/index.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { WebhookEndpoint } from '../../testkit/webhook-endpoint.ts';
import { DRIVERS, Fixture, START } from '../documents/test-fixture.ts';
import { createWebhooks, type Webhooks } from './index.ts';

const DAY_MS = 86_400_000;

describe('the test of a webhook (contract section 6)', () => {
  let fixture: Fixture;
  let endpoint: WebhookEndpoint;
  let outbound: Outbound;
  let webhooks: Webhooks;
  let timer: VirtualTimer;

  beforeEach(async () => {
    fixture = await Fixture.open(DRIVERS[0]!, { buildVersion: '1.2.3', webhookSecret: "the server's" });
    endpoint = await WebhookEndpoint.open();
    timer = new VirtualTimer();
    outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] }, { timer });
    webhooks = createWebhooks(fixture.environment, { outbound, documents: fixture.documents, timer });
    await webhooks.load();
    await webhooks.work();
    fixture.use(webhooks.handlers);
  });
  afterEach(async () => {
    await webhooks.stop();
    await outbound.close();
    await endpoint.close();
    await fixture.close();
  });

  const create = (more: object = {}) =>
    fixture.call('createWebhook', { url: endpoint.url, events: ['doc.added'], ...more });
  const test = (id: string, signal?: AbortSignal) => fixture.call('testWebhook', { id }, signal);
  const list = async () => (await fixture.call('listWebhooks', {}))[0]!;
  /** What is stored about deliveries. */
  const stored = async () => ({
    lanes: await fixture.sql.all('SELECT * FROM delivery_lanes ORDER BY 1'),
    outbox: await fixture.count('delivery_outbox'),
    deadLetters: await fixture.count('webhook_dead_letters'),
    changes: (await fixture.changes()).length,
  });

  it('delivers the event test at once, signed with the secret of the webhook, and returns the status and the time', async () => {
    const { id, url } = await create({ collection: 'blog', secret: 'its own' });
    endpoint.answer = (_, response) => {
      fixture.advance(2);
      response.writeHead(202).end();
    };
    const result = await test(id);
    const [{ headers, text, body }] = endpoint.received as [(typeof endpoint.received)[number]];
    expect(result).toEqual({ deliveryId: body.deliveryId, url, ok: true, httpStatus: 202, durationMs: 2000 });
    expect(body).toEqual({
      event: 'test',
      deliveryId: expect.stringMatching(/^dlv_[0-9a-f]{24}$/) as string,
      webhookId: id,
      collection: '',
      key: '',
      lang: '',
      docId: '',
      timestamp: START,
    });
    const signed = createHmac('sha256', 'its own').update(`${START}.${text}`).digest('hex');
    const standard = createHmac('sha256', 'its own').update(`${body.deliveryId}.${START}.${text}`).digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'svc-webhook/1.2.3',
      'x-svc-event': 'test',
      'x-svc-webhook-id': id,
      'x-svc-delivery': body.deliveryId,
      'x-svc-timestamp': String(START),
      'x-svc-signature': `sha256=${signed}`,
      'webhook-id': body.deliveryId,
      'webhook-signature': `v1,${standard}`,
    });
    await test(id);
    expect(endpoint.received[1]!.body.deliveryId).not.toBe(body.deliveryId);
  });

  it('is signed with the secret of the server where the webhook has none', async () => {
    await test((await create()).id);
    const { headers, text } = endpoint.received[0]!;
    expect(headers['x-svc-signature']).toBe(
      `sha256=${createHmac('sha256', "the server's").update(`${START}.${text}`).digest('hex')}`,
    );
  });

  it.each([500, 410, 302])('returns the status %i of an endpoint that refuses, and leaves nothing behind',
    async (status) => {
      const { id } = await create();
      const [before, webhook] = [await stored(), await list()];
      endpoint.answer = (_, response) =>
        response.writeHead(status, { 'Retry-After': '1', Location: endpoint.url }).end();
      expect(await test(id)).toMatchObject({ ok: false, httpStatus: status, error: `HTTP status ${status}` });
      await timer.advance(DAY_MS);
      expect(endpoint.received).toHaveLength(1);
      expect([await stored(), await list()]).toEqual([before, webhook]);
    });

  it('says why there was no response', async () => {
    const { id } = await create();
    endpoint.answer = (_, response) => response.destroy();
    const result = await test(id);
    expect(result).toMatchObject({ ok: false, error: expect.stringMatching(/ECONNRESET|closed/) as string });
    expect(result.httpStatus).toBeUndefined();
  });

  it('ends after 10 seconds without a response', async () => {
    const { id } = await create();
    endpoint.answer = () => undefined;
    const result = test(id);
    await endpoint.until(1);
    await timer.advance(10_000);
    expect(await result).toMatchObject({ ok: false, error: 'no complete response within 10 s' });
  });

  it('reaches a webhook that is paused, which stays paused', async () => {
    const { id } = await create();
    await fixture.call('updateWebhook', { id, paused: true });
    expect(await test(id)).toMatchObject({ ok: true, httpStatus: 204 });
    expect(await list()).toMatchObject({ paused: true, pauseReason: 'requested' });
  });

  it('does not wait for deliveries that the endpoint has yet to answer', async () => {
    const { id } = await create();
    endpoint.answer = ({ body: { event } }, response) => void (event === 'test' && response.writeHead(204).end());
    await fixture.call('addDocument', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'a' });
    await endpoint.until(1);
    expect(await test(id)).toMatchObject({ ok: true });
    expect(endpoint.received.map(({ body: { event } }) => event)).toEqual(['doc.added', 'test']);
  });

  it.each([['http://10.0.0.1/hook', 'must not call'], ['http://169.254.169.254/', 'must not call']])(
    'sends nothing to %s, which may have been allowed when it was stored',
    async (url, why) => {
      await fixture.sql.transaction((tx) =>
        tx.run(
          "INSERT INTO webhooks(id, url, events, collection, secret, created_at) VALUES ('wh_private', ?, '[]', " +
            "'', '', 1)",
          [url],
        )
      );
      await webhooks.load();
      const result = await test('wh_private');
      expect(result).toMatchObject({ url, ok: false, error: expect.stringContaining(why) as string });
      expect(result.httpStatus).toBeUndefined();
    },
  );

  it('is cancelled when its client leaves', async () => {
    const { id } = await create();
    const disconnected = Promise.withResolvers<void>();
    endpoint.answer = (_, response) => void response.on('close', disconnected.resolve);
    const client = new AbortController();
    const result = expect(test(id, client.signal)).rejects.toThrow('the client left');
    await endpoint.until(1);
    client.abort(new Error('the client left'));
    await result;
    await disconnected.promise;
  });

  it('needs a webhook that exists', async () => {
    const { id } = await create();
    await fixture.call('deleteWebhook', { id });
    await expect(test(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(fixture.call('testWebhook', {})).rejects.toMatchObject({ code: 'missing_fields' });
    expect(endpoint.received).toEqual([]);
  });
});
