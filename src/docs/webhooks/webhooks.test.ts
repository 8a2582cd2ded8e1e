import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound } from '../../net/index.ts';
import { KeyRing, resealSecrets } from '../../storage/index.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { WebhookEndpoint } from '../../testkit/webhook-endpoint.ts';
import { DRIVERS, Fixture, START } from '../documents/test-fixture.ts';
import { publishEvent } from '../events/index.ts';
import { createWebhooks, type Webhooks } from './index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe.each(DRIVERS)('webhooks over %s (contract section 6)', (driver) => {
  let fixture: Fixture;
  let endpoint: WebhookEndpoint;
  let outbound: Outbound;
  let webhooks: Webhooks;
  let timer: VirtualTimer;

  /** As after a restart of the server. */
  const start = async () => {
    timer = new VirtualTimer();
    outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] });
    webhooks = createWebhooks(fixture.environment, { outbound, documents: fixture.documents, timer });
    await webhooks.load();
    await webhooks.work();
    fixture.use(webhooks.handlers);
  };
  const stop = async () => {
    await webhooks.stop();
    await outbound.close();
  };
  beforeEach(async () => {
    fixture = await Fixture.open(driver, { buildVersion: '1.2.3', webhookSecret: "the server's" });
    endpoint = await WebhookEndpoint.open();
    await start();
  });
  afterEach(async () => {
    await stop();
    await endpoint.close();
    await fixture.close();
  });

  const create = (more: object = {}) => fixture.call('createWebhook', { url: endpoint.url, events: ['*'], ...more });
  const update = (id: string, more: object) => fixture.call('updateWebhook', { id, ...more });
  const add = (key: string, more: object = {}) =>
    fixture.call('addDocument', { collection: 'blog', key, lang: 'en', contentMd: key, ...more });
  const list = () => fixture.call('listWebhooks', {});
  const told = () => endpoint.received.map(({ body: { event, key } }) => `${event} ${key}`);
  /** Waits for `count` deliveries while virtual time passes in the test and in the engine. */
  const delivered = async (count: number) => {
    const arrived = endpoint.until(count);
    for (let done = false; !done;) {
      await timer.advance(100);
      done = await Promise.race([arrived.then(() => true), timer.settle().then(() => false)]);
    }
    await timer.advance(100);
  };

  it('are notified of documents as they are written, with headers and both signatures', async () => {
    const webhook = await create({ secret: 'its own' });
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-f]{24}$/) as string,
      url: endpoint.url,
      events: ['*'],
      collection: '',
      secretSet: true,
      createdAt: START,
      paused: false,
      deadLetters: 0,
    });
    await add('a', { meta: { tag: ['x'] } });
    await delivered(1);
    const { headers, text, body } = endpoint.received[0]!;
    expect(body).toEqual({
      event: 'doc.added',
      deliveryId: expect.stringMatching(/^dlv_[0-9a-f]{24}$/) as string,
      webhookId: webhook.id,
      collection: 'blog',
      key: 'a',
      lang: 'en',
      docId: 'blog|a|en',
      timestamp: START,
      document: expect.objectContaining({ id: 'blog|a|en', key: 'a', contentMd: 'a', meta: { tag: ['x'] } }) as object,
    });
    const signed = createHmac('sha256', 'its own').update(`${START}.${text}`).digest('hex');
    const standard = createHmac('sha256', 'its own').update(`${body.deliveryId}.${START}.${text}`).digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'svc-webhook/1.2.3',
      'x-svc-event': 'doc.added',
      'x-svc-webhook-id': webhook.id,
      'x-svc-delivery': body.deliveryId,
      'x-svc-timestamp': String(START),
      'x-svc-signature': `sha256=${signed}`,
      'webhook-id': body.deliveryId,
      'webhook-timestamp': String(START),
      'webhook-signature': `v1,${standard}`,
    });
  });

  it('receive the events that they subscribe to, under any of their names, in their scope', async () => {
    await create({ events: ['update', 'doc.delete', 'never.fires'], collection: 'BLOG' });
    await add('a');
    await add('a', { contentMd: 'other' });
    await add('b', { collection: 'wiki' });
    await add('b', { collection: 'wiki', contentMd: 'other' });
    await fixture.call('deleteDocument', { collection: 'blog', key: 'a', lang: 'en' });
    await delivered(2);
    expect(told()).toEqual(['doc.updated a', 'doc.deleted a']);
    expect(endpoint.received[1]!.body.document).toBeNull();
    expect((await list())[0]!.events).toEqual(['update', 'doc.delete', 'never.fires']);
  });

  it('receive nothing of writes that skip webhooks, across a restart too', async () => {
    await create();
    await stop();
    await fixture.documents.writer.put('blog', [{ key: 'quiet', lang: 'en', contentMd: 'q', saveRevision: true }], {
      flags: 8,
    });
    await add('loud');
    await start();
    await delivered(1);
    expect(told()).toEqual(['doc.added loud']);
  });

  it('are notified when a collection is deleted, between the events before and after it', async () => {
    await create({ events: ['*', 'collection.deleted'] });
    await fixture.documents.writer.put('blog',
      ['a', 'b'].map((key) => ({ key, lang: 'en', contentMd: key, saveRevision: true })));
    await fixture.call('deleteCollection', { collection: 'blog' });
    await add('a');
    await delivered(4);
    expect(told().slice(0, 2).toSorted()).toEqual(['doc.added a', 'doc.added b']);
    expect(told().slice(2)).toEqual(['collection.deleted ', 'doc.added a']);
    expect(endpoint.received[2]!.body.detail).toEqual({ count: 2 });
  });

  it('are all notified of a burst of failed sign-ins, and of other incidents where they subscribe', async () => {
    await create({ events: ['doc.added'], collection: 'blog' });
    publishEvent(fixture.environment, 'security.rate_limit_exceeded', { ip: '203.0.113.5' });
    publishEvent(fixture.environment, 'security.auth_failure_burst', {
      actor: 'alice',
      ip: '203.0.113.5',
      count: 10,
      windowSec: 60,
    });
    await delivered(1);
    expect(endpoint.received[0]!.body).toMatchObject({
      event: 'security.auth_failure_burst',
      collection: '',
      docId: '',
      detail: { count: 10 },
    });
    expect(endpoint.received[0]!.body).not.toHaveProperty('document');
  });

  it('repeat a delivery with its id until it is accepted, and say why it is not', async () => {
    await create();
    endpoint.answer = (_, response) => response.writeHead(endpoint.received.length < 3 ? 500 : 200).end('x');
    await add('a');
    await delivered(2);
    expect((await list())[0]).toMatchObject({ lastError: 'HTTP status 500' });
    await delivered(3);
    expect(new Set(endpoint.received.map(({ body }) => body.deliveryId)).size).toBe(1);
    expect((await list())[0]!.lastError).toBeUndefined();
  });

  it('do not follow redirects, and stop at 410 with a dead letter that can be delivered again', async () => {
    const { id } = await create();
    endpoint.answer = (_, response) =>
      response.writeHead(endpoint.received.length === 1 ? 302 : 410, { Location: 'http://169.254.169.254/' }).end();
    await add('a');
    await delivered(2);
    const { deadLetters, total } = await fixture.call('listWebhookDeadLetters', { webhookId: id });
    expect(total).toBe(1);
    expect(deadLetters).toEqual([{
      deliveryId: endpoint.received[0]!.body.deliveryId,
      webhookId: id,
      event: 'doc.added',
      collection: 'blog',
      key: 'a',
      lang: 'en',
      docId: 'blog|a|en',
      timestamp: START,
      attempts: 2,
      httpStatus: 410,
      error: 'HTTP status 410',
      failedAt: START,
    }]);
    expect(await list()).toMatchObject([{ deadLetters: 1 }]);

    endpoint.answer = (_, response) => response.writeHead(200).end();
    expect(await fixture.call('redeliverWebhooks', { webhookId: id })).toEqual({ status: 'queued', queued: 1 });
    await delivered(3);
    expect(endpoint.received[2]!.body).toMatchObject({
      event: 'doc.added',
      key: 'a',
      deliveryId: deadLetters[0]!.deliveryId,
    });
    expect(await fixture.call('listWebhookDeadLetters', {})).toMatchObject({ total: 0 });
    await webhooks.stop();
    expect(await fixture.count('delivery_outbox')).toBe(0);
  });

  it('keep their place while they are paused, and across restarts', async () => {
    const { id } = await create();
    expect(await update(id, { paused: true })).toMatchObject({ paused: true, pauseReason: 'requested' });
    await add('a');
    await stop();
    await start();
    await add('b');
    expect((await update(id, { paused: false })).pauseReason).toBeUndefined();
    await delivered(2);
    expect(told().toSorted()).toEqual(['doc.added a', 'doc.added b']);
    await stop();
    await start();
    await add('c');
    await delivered(3);
    expect(told()[2]).toBe('doc.added c');
  });

  it('are paused when they accept nothing for a day, and lose nothing', async () => {
    const { id } = await create();
    const attemptsAt: number[] = [];
    endpoint.answer = (_, response) => {
      attemptsAt.push(timer.now);
      response.destroy();
    };
    await add('a');
    const isPaused = async () => (await list())[0]!.paused;
    // An attempt takes real time, in which any number of virtual minutes may pass: so the loop waits for attempts, not
    // for virtual time.
    for (let attempts = 0; !(await isPaused()); attempts = endpoint.received.length) {
      while (endpoint.received.length === attempts && !(await isPaused())) await timer.advance(MINUTE_MS);
    }
    expect(timer.now).toBeGreaterThanOrEqual(24 * HOUR_MS);
    // Four at once, seven within the hour, then one every 45 to 60 minutes, until the pause is stored: that takes real
    // time, too.
    expect(attemptsAt.filter((at) => at < HOUR_MS).length).toBeLessThanOrEqual(4 + 7);
    const gaps = attemptsAt.slice(1).map((at, i) => at - attemptsAt[i]!);
    expect(Math.min(...gaps.slice(4 + 7))).toBeGreaterThanOrEqual(45 * MINUTE_MS);
    expect(attemptsAt.filter((at) => at < 24 * HOUR_MS).length).toBeLessThan(50);
    expect(await list()).toMatchObject([{
      paused: true,
      pauseReason: 'failing',
      lastError: expect.any(String) as string,
    }]);
    const failed = endpoint.received.length;
    await update(id, { paused: false });
    await delivered(failed + 4);
    expect(await list()).toMatchObject([{ paused: false }]);
    await update(id, { paused: true });
    endpoint.answer = (_, response) => response.writeHead(200).end();
    const before = endpoint.received.length;
    await update(id, { paused: false });
    await delivered(before + 1);
    expect(told().at(-1)).toBe('doc.added a');
  });

  it('do not mind a clock that is set, forward or back', async () => {
    await create();
    const attemptsAt: number[] = [];
    endpoint.answer = (_, response) => {
      attemptsAt.push(timer.now);
      response.writeHead(endpoint.received.length < 4 ? 500 : 200).end();
    };
    await add('a');
    for (const days of [3, -5, 400]) {
      await delivered(endpoint.received.length + 1);
      fixture.advance(days * 86_400);
    }
    await delivered(4);
    // At least 1, 4 and 10 seconds of the timer, and what passes while an attempt takes real time.
    const [first, ...later] = attemptsAt.map((at) => at - attemptsAt[0]!);
    expect([first, later.map((at, i) => at >= [1000, 5000, 15_000][i]!)]).toEqual([0, [true, true, true]]);
    expect(later.at(-1)).toBeLessThan(5 * MINUTE_MS);
    expect(await list()).toMatchObject([{ paused: false, deadLetters: 0 }]);
    expect(new Set(endpoint.received.map(({ body }) => body.deliveryId)).size).toBe(1);
  });

  it('send a secret nowhere but where it was given for (decision D-137)', async () => {
    const { id } = await create({ secret: 's' });
    await expect(update(id, { url: 'http://127.0.0.1:1/other' })).rejects.toMatchObject({ code: 'missing_fields' });
    expect(await update(id, { url: 'http://127.0.0.1:1/other', secret: 't' })).toMatchObject({
      url: 'http://127.0.0.1:1/other',
      secretSet: true,
    });
    expect(JSON.stringify(await list())).not.toContain('"t"');
  });

  it('show no query of a URL, and keep it where the URL is written back (decision D-173)', async () => {
    const { id, url } = await create({ url: `${endpoint.url}?token=t0ken` });
    expect(url).toBe(endpoint.url);
    expect(await update(id, { url })).toMatchObject({ url: endpoint.url });
    await add('a');
    await delivered(1);
    expect(endpoint.received[0]!.path).toBe('/hook?token=t0ken');
    expect(await update(id, { url: `${endpoint.url}?` })).toMatchObject({ url: endpoint.url });
    await add('b');
    await delivered(2);
    expect(endpoint.received[1]!.path).toBe('/hook');
  });

  it('take no secret whsec_ without a key, and sign with one that is stored by the secret as it is alone', async () => {
    for (const secret of ['whsec_', 'whsec_!!!!', 'whsec_not base64', 'whsec_password']) {
      const refusal = {
        code: 'invalid_argument',
        message: expect.stringMatching(
          /^secret: after "whsec_", expected the base64 of a key of at least 24 bytes, got /,
        ) as string,
      };
      await expect(create({ secret })).rejects.toMatchObject(refusal);
      const { id } = await create({ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' });
      await expect(update(id, { secret })).rejects.toMatchObject(refusal);
      await fixture.call('deleteWebhook', { id });
    }
    await create();
    await stop();
    await fixture.sql.transaction((tx) => tx.run("UPDATE webhooks SET secret = 'whsec_!!!!'"));
    await start();
    await add('a');
    await delivered(1);
    const { headers, text } = endpoint.received[0]!;
    expect(headers['x-svc-signature']).toBe(
      `sha256=${createHmac('sha256', 'whsec_!!!!').update(`${START}.${text}`).digest('hex')}`,
    );
    expect(headers).not.toHaveProperty('webhook-signature');
  });

  it('keep a secret encrypted where the server has keys, and re-encrypt it under a new one', async () => {
    const environment = fixture.environment as { keys?: KeyRing };
    const key = (id: number) => ({ id, bytes: Buffer.alloc(32, id) });
    const stored = async () => (await fixture.sql.get<{ secret: string }>('SELECT secret FROM webhooks'))!.secret;
    const secret = 'a secret that nobody reads';
    await create({ secret });
    expect(await stored()).toBe(secret);
    for (const keys of [new KeyRing(key(1)), new KeyRing(key(2), [key(1)]), new KeyRing(key(2))]) {
      await stop();
      environment.keys = keys;
      await start();
      await resealSecrets(fixture.sql, keys);
      expect(await stored()).not.toContain(secret);
    }
    await add('a');
    await delivered(1);
    const { headers, text } = endpoint.received[0]!;
    expect(headers['x-svc-signature']).toBe(
      `sha256=${createHmac('sha256', secret).update(`${START}.${text}`).digest('hex')}`,
    );
  });

  it('are those of the database after that was replaced by a backup', async () => {
    await create();
    await add('a');
    await delivered(1);
    // As after a restore: the tables of an earlier time, and a feed that begins again after a gap.
    await fixture.sql.transaction(async (tx) => fixture.feed.restart(tx, 1000));
    await webhooks.load();
    await timer.advance(1000);
    await add('b');
    await delivered(2);
    expect(told()).toEqual(['doc.added a', 'doc.added b']);
  });

  it.each([['http://169.254.169.254/x', 'address'], ['http://user:pass@127.0.0.1/', 'user name'], ['ftp://127.0.0.1/',
    'url']])('refuse the URL %s', async (url, why) => {
      await expect(create({ url })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining(why) as string,
      });
      await expect(create({ url: 'http://10.0.0.1/' })).rejects.toMatchObject({ code: 'invalid_argument' });
    });

  it('are deleted with what they have not received', async () => {
    const { id } = await create();
    endpoint.answer = (_, response) => response.writeHead(410).end();
    await add('a');
    await delivered(1);
    expect(await fixture.call('deleteWebhook', { id })).toEqual({ status: 'deleted', id });
    expect(await list()).toEqual([]);
    expect(await fixture.call('listWebhookDeadLetters', {})).toMatchObject({ total: 0 });
    for (const table of ['delivery_lanes', 'cursors']) expect(await fixture.count(table)).toBe(0);
    for (const call of [() => update(id, {}), () => fixture.call('deleteWebhook', { id }),
      () => fixture.call('redeliverWebhooks', { deliveryId: 'dlv_none' })])
    {
      await expect(call()).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(fixture.call('redeliverWebhooks', {})).rejects.toMatchObject({ code: 'missing_fields' });
  });

  it('are at most 1000', async () => {
    await fixture.sql.transaction(async (tx) => {
      await tx.runMany(
        "INSERT INTO webhooks(id, url, events, collection, secret, created_at) VALUES (?, 'http://127.0.0.1:1/', " +
          "'[]', '', '', 1)",
        Array.from({ length: 1000 }, (_, i) => [`wh_${i}`]),
      );
    });
    await expect(create()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('1000') as string,
    });
  });
});
