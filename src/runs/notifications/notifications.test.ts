import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG, RunsApi } from '../../testkit/runs-api.ts';
import { WebhookEndpoint } from '../../testkit/webhook-endpoint.ts';
import { MAX_DEAD_LETTERS, writeDeadLetters } from './dead-letter-rows.ts';

/** Long enough for busy machines. */
const POLLING = { timeout: 10_000 };
const DONE = { outcome: 'succeeded', started: true } as const;

let endpoint: WebhookEndpoint;
let api: RunsApi;
beforeEach(async () => {
  endpoint = await WebhookEndpoint.open();
});
afterEach(async () => {
  await api.stop();
  await endpoint.close();
});

async function start(webhook = '', allowed = 'loopback'): Promise<void> {
  api = await RunsApi.start({
    config: `${CONFIG}\nnotifications: {allow_private: ${allowed}, webhooks: [{name: chat, url: ` +
      `'${endpoint.url}'${webhook}}]}\n`,
  });
  await api.notifications.start();
}

interface Body {
  event: string;
  delivery_id: string;
  webhook: string;
  timestamp: number;
  from: string | null;
  reason: string | null;
  run: { id: string; state: string };
}
const bodies = () => endpoint.received.map(({ text }) => JSON.parse(text) as Body);
const listed = async () => (await api.send('GET', '/notifications')).json<{ data: Record<string, unknown>[] }>().data;
const lastError = async () => (await listed())[0]!['last_error'];
const dead = async () =>
  (await api.send('GET', '/notifications/dead-letters')).json<{ data: Record<string, unknown>[] }>().data;

describe('notifications', () => {
  it('report the configured states, in the order of each run, signed as webhooks of the document service are', async () => {
    await start(', states: [queued, running, succeeded], secret_env: HOOK_KEY');
    const id = await api.queued('a-key-of-a-run');
    await api.work(DONE);
    await endpoint.until(3);
    expect(bodies().map(({ event, from, run }) => [event, from, run.id, run.state])).toEqual([['run.queued', null, id,
      'queued'], ['run.running', 'queued', id, 'running'], ['run.succeeded', 'running', id, 'succeeded']]);
    const { headers, text } = endpoint.received[0]!;
    const { delivery_id: delivery, timestamp } = bodies()[0]!;
    expect(headers).toMatchObject({
      'x-svc-event': 'run.queued',
      'x-svc-webhook-id': 'chat',
      'x-svc-delivery': delivery,
      'webhook-id': delivery,
      'x-svc-timestamp': String(timestamp),
    });
    expect(headers['x-svc-signature']).toBe(
      `sha256=${createHmac('sha256', 'key-of-the-signature').update(`${timestamp}.${text}`).digest('hex')}`,
    );
  });

  it('report the configured projects, and no input', async () => {
    await start(', projects: [alpha], states: [queued]');
    await api.queued('a-key-of-beta');
    await api.enqueue('a-key-of-alpha', { project_id: 'alpha', kind: 'pipeline', task: 'build', input: 'between us' });
    await endpoint.until(1);
    expect(bodies()).toMatchObject([{ run: { project_id: 'alpha' } }]);
    expect(endpoint.received[0]!.text).not.toContain('between us');
  });

  it('are tried again, and continue after a restart with those that were not accepted', async () => {
    await start();
    endpoint.answer = (_, response) => response.writeHead(503).end();
    await api.queued('a-key-of-a-run');
    const id = await api.work(DONE);
    await endpoint.until(1);
    await expect.poll(listed, POLLING).toMatchObject([{
      name: 'chat',
      waiting: 1,
      dead_letters: 0,
      signed: false,
      last_error: 'HTTP status 503',
    }]);
    const first = bodies()[0]!;
    await api.notifications.stop();
    expect(await api.sql.all('SELECT count(*) AS n FROM delivery_outbox')).toEqual([{ n: 1 }]);
    endpoint.answer = (_, response) => response.writeHead(204).end();
    const next = api.anotherNotifier();
    await next.start();
    await endpoint.until(2);
    expect(bodies()[1]).toEqual(first);
    expect(first.run.id).toBe(id);
    await next.stop();
    expect(await api.sql.all('SELECT count(*) AS n FROM delivery_outbox')).toEqual([{ n: 0 }]);
  });

  it('that are refused permanently become dead letters, which are sent again on demand', async () => {
    await start();
    endpoint.answer = (_, response) => response.writeHead(410).end();
    await api.queued('a-key-of-a-run');
    const id = await api.work(DONE);
    await expect.poll(dead, POLLING).toMatchObject([{
      webhook: 'chat',
      event: 'run.succeeded',
      run_id: id,
      attempts: 1,
      http_status: 410,
      error: 'HTTP status 410',
    }]);
    endpoint.answer = (_, response) => response.writeHead(204).end();
    const [letter] = await dead();
    expect((await api.send('POST', '/notifications/chat/redeliver', { body: { delivery_id: 'dlv_none' } })).status)
      .toBe(404);
    expect((await api.send('POST', '/notifications/none/redeliver', { body: {} })).json()).toEqual({
      error: { code: 'notification_not_found', message: 'there is no webhook "none" in notifications.webhooks' },
    });
    const sent = await api.send('POST', '/notifications/chat/redeliver', {
      body: { delivery_id: letter!['delivery_id'] },
    });
    expect([sent.status, sent.json()]).toEqual([202, { data: { queued: 1 } }]);
    await endpoint.until(2);
    expect(bodies()[1]!.delivery_id).toBe(letter!['delivery_id']);
    expect(await dead()).toEqual([]);
    expect((await api.send('GET', '/audit?action=redeliver')).json()).toMatchObject({
      data: [{ actor: 'api', target: 'chat', detail: { notifications: 1 } }],
    });
  });

  it('do not reach private addresses unless that is configured, nor go unsigned', async () => {
    await start('', 'none');
    await api.queued('a-key-of-a-run');
    await api.work(DONE);
    await expect.poll(lastError, POLLING).toMatch(/127\.0\.0\.1/);
    expect(endpoint.received).toEqual([]);
    await api.stop();
    await start(', secret_env: NOT_SET');
    await api.queued('a-key-of-a-run');
    await api.work(DONE);
    await expect.poll(lastError, POLLING).toBe('the variable NOT_SET of secret_env is not set');
    expect(endpoint.received).toEqual([]);
  });

  it('are undone with the change that they report', async () => {
    await start(', states: [queued]');
    const run = (await api.queue.get(await api.queued('a-key-of-a-run')))!;
    await expect(api.sql.transaction(async (tx) => {
      await api.notifications.notify(tx, { run, from: null, formerShipId: null });
      throw new Error('undone');
    })).rejects.toThrow('undone');
    await endpoint.until(1);
    expect(await api.sql.all('SELECT count(*) AS n FROM delivery_outbox')).toEqual([{ n: 1 }]);
  });

  it('keep the newest dead letters of a webhook only', async () => {
    await start();
    const letters = Array.from({ length: MAX_DEAD_LETTERS + 5 }, (_, n) => ({
      letter: { id: `dlv_${n}`, event: 'run.failed', runId: '0'.repeat(32), timestamp: 1, body: '{}' },
      attempts: 1,
      status: 0,
      error: 'none',
      failedAt: 1,
    }));
    await api.sql.transaction((tx) => writeDeadLetters(tx, 'chat', letters));
    expect(await listed()).toMatchObject([{ dead_letters: MAX_DEAD_LETTERS }]);
    expect((await dead())[0]).toMatchObject({ delivery_id: `dlv_${MAX_DEAD_LETTERS + 4}` });
  });
});
