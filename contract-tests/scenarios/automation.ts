import { expect, vi } from 'vitest';
import { addDocument, createAutomationRule, deleteAutomationRule, getAutomationRule, listAutomationLogs,
  listAutomationRules, testAutomationRule, updateAutomationRule } from '../../generated/docs/sdk/sdk.gen.ts';
import type { AutomationRule, CreateAutomationRuleRequestWritable } from '../../generated/docs/sdk/types.gen.ts';
import { WebhookEndpoint } from '../../src/testkit/webhook-endpoint.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, now, store } from './scenario.ts';

const NONE = 'auto_000000000000000000000000';

/** A trigger of the scenario's collection; there is no server at the address to which it sends its matches. */
async function create({ client, collection }: DocsContext,
  more: Partial<CreateAutomationRuleRequestWritable> = {}): Promise<AutomationRule>
{
  return succeeded(await createAutomationRule({
    client,
    body: {
      type: 'trigger',
      name: 'Rule',
      collection,
      query: 'router',
      webhookUrl: 'http://127.0.0.1:1/hook',
      ...more,
    },
  }));
}

/**
 * Rules that watch writes or search on schedule, and their log (contract, section 4, "Webhooks, automation, curation").
 */
export const automation: DocsScenarios = {
  async createAutomationRule(context) {
    const { client, direct, collection } = context;
    const trigger = await create(context, { events: ['insert'], threshold: 0.5 });
    expect(trigger).toMatchObject({
      type: 'trigger',
      name: 'Rule',
      enabled: true,
      collection,
      searchType: 'fts',
      threshold: 0.5,
      events: ['insert'],
      sentimentEnabled: false,
      sentimentMin: -1,
      sentimentMax: 1,
      conditionLogic: 'and',
    });
    expect(trigger.id).toMatch(/^auto_[0-9a-f]{24}$/);
    expect(Math.abs(trigger.createdAt - now())).toBeLessThan(60);
    const cron = await create(context, { type: 'cron', schedule: '@hourly', triggerId: trigger.id });
    expect(cron).toMatchObject({ type: 'cron', schedule: '@hourly', triggerId: trigger.id, lastRun: 0 });
    expect((cron as { nextRun: number }).nextRun % 3600).toBe(0);
    const target = await create(context, {
      type: 'webhook',
      url: 'http://127.0.0.1:1/{{doc.key}}',
      headers: { 'X-A': '{{event}}' },
      secret: 'secret',
    });
    expect(target).toMatchObject({
      type: 'webhook',
      url: 'http://127.0.0.1:1/{{doc.key}}',
      method: 'POST',
      headers: { 'X-A': '' },
      secretSet: true,
    });
    expect(target).not.toHaveProperty('secret');
    refused(await createAutomationRule({
      client,
      body: { type: 'cron', name: 'C', query: 'x', webhookUrl: 'http://127.0.0.1:1/' },
    }), 400, 'missing_fields');
    refused(await createAutomationRule({ client, body: { type: 'trigger', name: 'T', query: 'x', webhookId: NONE } }),
      400, 'invalid_argument');
    refused(await createAutomationRule({
      client: direct,
      body: { type: 'trigger', name: 'T', query: 'x', webhookUrl: 'ftp://example.com' },
    }), 400, 'invalid_argument');
  },

  async listAutomationRules(context) {
    const rule = await create(context);
    const { rules, total } = succeeded(await listAutomationRules({ client: context.client }));
    expect(rules).toContainEqual(rule);
    expect(total).toBe(rules.length);
  },

  async getAutomationRule(context) {
    const rule = await create(context);
    expect(succeeded(await getAutomationRule({ client: context.client, path: { id: rule.id } }))).toEqual(rule);
    refused(await getAutomationRule({ client: context.client, path: { id: NONE } }), 404, 'not_found');
  },

  async updateAutomationRule(context) {
    const { client } = context;
    const rule = await create(context, { threshold: 2 });
    const body = { type: 'trigger', name: 'Other', query: 'switch', webhookUrl: 'http://127.0.0.1:1/hook' } as const;
    const { updatedAt, ...updated } = succeeded(await updateAutomationRule({ client, path: { id: rule.id }, body }));
    expect(updated).toMatchObject({
      id: rule.id,
      name: 'Other',
      collection: '',
      query: 'switch',
      threshold: 0,
      createdAt: rule.createdAt,
    });
    expect(updatedAt).toBeGreaterThanOrEqual(rule.updatedAt);
    refused(await updateAutomationRule({ client, path: { id: NONE }, body }), 404, 'not_found');
  },

  async deleteAutomationRule(context) {
    const { client } = context;
    const { id } = await create(context);
    expect(succeeded(await deleteAutomationRule({ client, path: { id } }))).toEqual({ status: 'deleted', id });
    refused(await deleteAutomationRule({ client, path: { id } }), 404, 'not_found');
  },

  async testAutomationRule(context) {
    const { client, collection } = context;
    await store(context, { key: 'a', contentMd: 'A terrible router.' });
    await store(context, { key: 'b', contentMd: 'A wonderful router.' });
    const rule = await create(context, { sentimentEnabled: true, sentimentMax: -0.2 });
    const tested = succeeded(await testAutomationRule({ client, path: { id: rule.id } }));
    expect(tested).toMatchObject({
      trigger: rule,
      total: 1,
      threshold: 0,
      matches: [{ docId: `${collection}|a|en`, collection, sentiment: -1, document: { key: 'a' } }],
    });
    const target = await create(context, { type: 'webhook', url: 'http://127.0.0.1:1/' });
    refused(await testAutomationRule({ client, path: { id: target.id } }), 400, 'invalid_argument');
    refused(await testAutomationRule({ client, path: { id: NONE } }), 404, 'not_found');
  },

  async listAutomationLogs(context) {
    const { client, collection } = context;
    const endpoint = await WebhookEndpoint.open();
    const { id } = await create(context, { webhookUrl: `${endpoint.url}/{{doc.key}}` });
    for (const key of ['a', 'b'])
      succeeded(await addDocument({ client, body: { collection, key, lang: 'en', contentMd: 'router' } }));
    await vi.waitFor(
      async () =>
        expect(succeeded(await listAutomationLogs({ client, query: { ruleId: id, status: 'success' } })).total).toBe(2),
      { timeout: 10_000 },
    );
    const page = succeeded(await listAutomationLogs({ client, query: { ruleId: id, limit: 1 } }));
    expect(page).toMatchObject({
      total: 2,
      hasMore: true,
      logs: [{
        ruleId: id,
        ruleName: 'Rule',
        ruleType: 'trigger',
        webhookId: '',
        status: 'success',
        httpStatus: 204,
        attempt: 1,
        error: '',
        collection,
      }],
    });
    const rest = succeeded(
      await listAutomationLogs({ client, query: { ruleId: id, limit: 1, cursor: page.nextCursor } }),
    );
    expect(rest).toMatchObject({ total: 2, hasMore: false, nextCursor: '' });
    expect([...page.logs, ...rest.logs].map(({ webhookUrl }) => webhookUrl).toSorted()).toEqual([`${endpoint.url}/a`,
      `${endpoint.url}/b`]);
    refused(await listAutomationLogs({ client, query: { cursor: 'nonsense' } }), 400, 'invalid_argument');
    await endpoint.close();
  },
};
