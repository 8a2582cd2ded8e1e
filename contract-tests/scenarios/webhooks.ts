import { expect } from 'vitest';
import { addDocument, createWebhook, deleteWebhook, listWebhookDeadLetters, listWebhooks, redeliverWebhooks,
  testWebhook, updateWebhook } from '../../generated/docs/sdk/sdk.gen.ts';
import type { CreateWebhookRequestWritable, Webhook } from '../../generated/docs/sdk/types.gen.ts';
import { WebhookEndpoint } from '../../src/testkit/webhook-endpoint.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, now } from './scenario.ts';

const NONE = 'wh_000000000000000000000000';

/** A port without a server: only tests of deliveries need one. */
async function create({ client, collection }: DocsContext,
  more: Partial<CreateWebhookRequestWritable> = {}): Promise<Webhook>
{
  return succeeded(await createWebhook({
    client,
    body: { url: 'http://127.0.0.1:1/hook', events: ['doc.added'], collection, ...more },
  }));
}

/** A webhook with one dead letter. */
async function refusedBy(endpoint: WebhookEndpoint,
  context: DocsContext): Promise<{ webhook: Webhook; deliveryId: string }>
{
  const { client, collection } = context;
  endpoint.answer = (_, response) => response.writeHead(410).end();
  const webhook = await create(context, { url: endpoint.url });
  succeeded(await addDocument({ client, body: { collection, key: 'a', lang: 'en', contentMd: 'a' } }));
  const { deliveryId } = (await endpoint.until(1))[0]!.body;
  for (let total = 0; total === 0;)
    ({ total } = succeeded(await listWebhookDeadLetters({ client, query: { webhookId: webhook.id } })));
  return { webhook, deliveryId };
}

/** Deliveries of events to webhooks (contract, section 4, "Webhooks, automation, curation", and section 6). */
export const webhooks: DocsScenarios = {
  async createWebhook(context) {
    const { client, collection } = context;
    const webhook = await create(context, { events: ['insert', 'doc.deleted'], secret: 'secret' });
    expect(webhook).toMatchObject({
      url: 'http://127.0.0.1:1/hook',
      events: ['insert', 'doc.deleted'],
      collection,
      secretSet: true,
      paused: false,
      deadLetters: 0,
    });
    expect(webhook.id).toMatch(/^wh_[0-9a-f]{24}$/);
    expect(Math.abs(webhook.createdAt - now())).toBeLessThan(60);
    for (const url of ['http://169.254.169.254/', 'http://10.0.0.1/'])
      refused(await createWebhook({ client, body: { url, events: ['*'] } }), 400, 'invalid_argument');
    refused(await createWebhook({ client: context.direct, body: { url: 'ftp://example.com', events: ['*'] } }), 400,
      'invalid_argument');
    refused(await createWebhook({ client: context.direct, body: { url: 'https://example.com', events: [] } }), 400,
      'invalid_argument');
  },

  async listWebhooks(context) {
    const { client, collection } = context;
    const [own, other] = [await create(context), await create(context, { collection: `${collection}-other` })];
    const listed = succeeded(await listWebhooks({ client, query: { collection } }));
    expect(listed).toContainEqual(own);
    expect(listed.map(({ id }) => id)).not.toContain(other.id);
    expect(succeeded(await listWebhooks({ client })).map(({ id }) => id)).toEqual(
      expect.arrayContaining([own.id, other.id]),
    );
  },

  async updateWebhook(context) {
    const { client } = context;
    const { id, ...rest } = await create(context, { secret: 'secret' });
    expect(succeeded(await updateWebhook({ client, body: { id, paused: true } }))).toEqual({
      id,
      ...rest,
      paused: true,
      pauseReason: 'requested',
    });
    expect(succeeded(await updateWebhook({ client, body: { id, paused: false, events: ['*'] } }))).toEqual({
      id,
      ...rest,
      events: ['*'],
    });
    refused(await updateWebhook({ client, body: { id, url: 'http://127.0.0.1:2/' } }), 400, 'missing_fields');
    refused(await updateWebhook({ client, body: { id: NONE } }), 404, 'not_found');
  },

  async listWebhookDeadLetters(context) {
    const { client, collection } = context;
    const endpoint = await WebhookEndpoint.open();
    const { webhook, deliveryId } = await refusedBy(endpoint, context);
    const { deadLetters } = succeeded(await listWebhookDeadLetters({ client, query: { webhookId: webhook.id } }));
    expect(deadLetters).toMatchObject([{
      deliveryId,
      webhookId: webhook.id,
      event: 'doc.added',
      collection,
      key: 'a',
      attempts: 1,
      httpStatus: 410,
    }]);
    expect(succeeded(await listWebhookDeadLetters({ client, query: { webhookId: NONE } }))).toEqual({
      deadLetters: [],
      total: 0,
    });
    await endpoint.close();
  },

  async redeliverWebhooks(context) {
    const { client } = context;
    const endpoint = await WebhookEndpoint.open();
    const { webhook, deliveryId } = await refusedBy(endpoint, context);
    endpoint.answer = (_, response) => response.writeHead(200).end();
    expect(succeeded(await redeliverWebhooks({ client, body: { webhookId: webhook.id } }))).toEqual({
      status: 'queued',
      queued: 1,
    });
    expect((await endpoint.until(2))[1]!.body.deliveryId).toBe(deliveryId);
    refused(await redeliverWebhooks({ client, body: { deliveryId } }), 404, 'not_found');
    refused(await redeliverWebhooks({ client, body: { webhookId: NONE } }), 404, 'not_found');
    await endpoint.close();
  },

  async testWebhook(context) {
    const { client } = context;
    const endpoint = await WebhookEndpoint.open();
    const { id } = await create(context, { url: endpoint.url });
    succeeded(await updateWebhook({ client, body: { id, paused: true } }));
    const accepted = succeeded(await testWebhook({ client, body: { id } }));
    const { body } = endpoint.received[0]!;
    expect(body).toMatchObject({
      event: 'test',
      deliveryId: accepted.deliveryId,
      webhookId: id,
      collection: '',
      docId: '',
    });
    expect(body).not.toHaveProperty('document');
    expect(accepted).toEqual({
      deliveryId: body.deliveryId,
      url: endpoint.url,
      ok: true,
      httpStatus: 204,
      durationMs: expect.any(Number) as number,
    });
    endpoint.answer = (_, response) => response.writeHead(410).end();
    expect(succeeded(await testWebhook({ client, body: { id } }))).toMatchObject({
      ok: false,
      httpStatus: 410,
      error: 'HTTP status 410',
    });
    expect(succeeded(await listWebhookDeadLetters({ client, query: { webhookId: id } }))).toEqual({
      deadLetters: [],
      total: 0,
    });
    refused(await testWebhook({ client, body: { id: NONE } }), 404, 'not_found');
    await endpoint.close();
  },

  async deleteWebhook(context) {
    const { client } = context;
    const { id } = await create(context);
    expect(succeeded(await deleteWebhook({ client, body: { id } }))).toEqual({ status: 'deleted', id });
    refused(await deleteWebhook({ client, body: { id } }), 404, 'not_found');
  },
};
