import { expect } from 'vitest';
import { createCurationRule, deleteCurationRule, listCurationRules,
  updateCurationRule } from '../../generated/docs/sdk/sdk.gen.ts';
import type { CreateCurationRuleRequest, CurationRule } from '../../generated/docs/sdk/types.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, now } from './scenario.ts';

async function create({ client, collection }: DocsContext,
  more: Partial<CreateCurationRuleRequest> = {}): Promise<CurationRule>
{
  return succeeded(await createCurationRule({ client, body: { collection, query: 'getting started', ...more } }));
}

/** Results that editors pin and hide (contract, section 2, "Curation rule", and section 4). */
export const curation: DocsScenarios = {
  async createCurationRule(context) {
    const { client, direct, collection } = context;
    const rule = await create(context);
    expect(rule).toMatchObject({
      collection,
      query: 'getting started',
      matchMode: 'exact',
      pins: [],
      hides: [],
      enabled: false,
      updatedAt: rule.createdAt,
    });
    expect(rule.id).toMatch(/^cur_[0-9a-f]{24}$/);
    expect(Math.abs(rule.createdAt - now())).toBeLessThan(60);
    const full = {
      query: '  Getting  started ',
      matchMode: 'contains' as const,
      pins: [{ key: 'a', lang: 'en', position: 1 }, { key: 'b', position: 0 }],
      hides: ['c'],
      enabled: true,
      ignoreFilters: true,
    };
    expect(await create(context, full)).toMatchObject({ ...full, query: 'Getting started' });
    refused(await createCurationRule({ client: direct, body: { collection } as never }), 400, 'missing_fields');
    expect(
      refused(await createCurationRule({ client, body: { collection, query: ' ' } }), 400, 'invalid_argument').error,
    ).toContain('query');
  },

  async listCurationRules(context) {
    const { client, collection } = context;
    const rules = [await create(context), await create(context, { query: 'other' })];
    expect(succeeded(await listCurationRules({ client, query: { collection } }))).toEqual({
      rules,
      total: 2,
      collection,
    });
    expect(succeeded(await listCurationRules({ client, query: { id: rules[1]!.id } }))).toEqual(rules[1]);
    expect(succeeded(await listCurationRules({ client }))).toMatchObject({
      rules: expect.arrayContaining(rules) as CurationRule[],
    });
    refused(await listCurationRules({ client, query: { id: 'cur_000000000000000000000000' } }), 404, 'not_found');
    refused(await listCurationRules({ client, query: { id: rules[0]!.id, collection: `${collection}-other` } }), 404,
      'not_found');
  },

  async updateCurationRule(context) {
    const { client, collection } = context;
    const rule = await create(context, { hides: ['old'], enabled: true });
    const changed = succeeded(await updateCurationRule({
      client,
      body: { id: rule.id, collection, query: 'changed', pins: [{ key: 'a', position: 2 }] },
    }));
    expect(changed).toMatchObject({
      id: rule.id,
      query: 'changed',
      pins: [{ key: 'a', position: 2 }],
      hides: [],
      enabled: false,
      createdAt: rule.createdAt,
    });
    expect(succeeded(await listCurationRules({ client, query: { id: rule.id } }))).toEqual(changed);
    refused(await updateCurationRule({ client, body: { id: 'cur_000000000000000000000000', collection, query: 'x' } }),
      404, 'not_found');
  },

  async deleteCurationRule(context) {
    const { client, collection } = context;
    const { id } = await create(context);
    refused(await deleteCurationRule({ client, query: { id, collection: `${collection}-other` } }), 404, 'not_found');
    expect(succeeded(await deleteCurationRule({ client, query: { id } }))).toEqual({ status: 'deleted', id });
    refused(await deleteCurationRule({ client, query: { id } }), 404, 'not_found');
  },
};
