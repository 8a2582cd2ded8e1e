import { expect } from 'vitest';
import { deleteSchema, getSchema, listSchemas, setSchema, validateDocument } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, store } from './scenario.ts';

const schema = {
  required: ['category'],
  properties: {
    category: { type: 'string' as const, enum: ['news', 'blog'], maxItems: 1 },
    tags: { pattern: '^[a-z-]+$' },
  },
};

async function set({ client, collection }: DocsContext, value: object | string = schema): Promise<void> {
  expect(succeeded(await setSchema({ client, body: { collection, schema: value } }))).toEqual({ status: 'ok' });
}

/** Rules for the metadata of a collection (contract, section 4, "Schemas"; decision D-48). */
export const schemas: DocsScenarios = {
  async setSchema(context) {
    const { client, direct, collection } = context;
    await set(context, JSON.stringify(schema));
    expect(succeeded(await getSchema({ client, body: { collection } })).schema).toEqual(schema);
    // The matching time of a backreference has no bound.
    const unsafe = await setSchema({
      client,
      body: { collection, schema: { properties: { a: { pattern: '^(a+)+\\1$' } } } },
    });
    expect(refused(unsafe, 400, 'invalid_argument').error).toContain('pattern');
    refused(await setSchema({ client, body: { collection, schema: '{not json' } }), 400, 'invalid_argument');
    refused(await setSchema({ client: direct, body: { collection, schema: 7 as never } }), 400, 'invalid_argument');
    expect(succeeded(await getSchema({ client, body: { collection } })).schema).toEqual(schema);

    // A pattern on which the engine's own matcher would take exponential time.
    await set(context, { properties: { a: { pattern: '^(a+)+$' } } });
    const { valid } = succeeded(
      await validateDocument({ client, body: { collection, meta: { a: [`${'a'.repeat(5000)}!`] } } }),
    );
    expect(valid).toBe(false);
  },

  async getSchema(context) {
    const { client, collection } = context;
    expect(succeeded(await getSchema({ client, body: { collection } }))).toEqual({ collection, schema: null });
    await set(context);
    expect(succeeded(await getSchema({ client, body: { collection } }))).toEqual({ collection, schema });
  },

  async deleteSchema(context) {
    const { client, collection } = context;
    await set(context);
    for (let i = 0; i < 2; i++)
      expect(succeeded(await deleteSchema({ client, body: { collection } }))).toEqual({ status: 'ok' });
    await store(context, { meta: { category: ['anything'] } });
  },

  async listSchemas(context) {
    const { client, collection } = context;
    await set(context);
    const { schemas: found } = succeeded(await listSchemas({ client, body: {} }));
    expect(found).toContainEqual({ collection, schema });
    expect(found.map((entry) => entry.collection)).toEqual(found.map((entry) => entry.collection).sort());
  },

  async validateDocument(context) {
    const { client, collection } = context;
    const validate = async (meta: Record<string, string[]>) =>
      succeeded(await validateDocument({ client, body: { collection, meta } }));
    expect(await validate({})).toEqual({ valid: true, errors: [], warnings: [] });
    await set(context);
    expect(await validate({ category: ['news'], tags: ['a-b'] })).toMatchObject({ valid: true, errors: [] });
    expect(await validate({})).toMatchObject({ valid: false, errors: ['required key "category" is missing'] });
    expect(await validate({ category: ['sport'] })).toMatchObject({
      valid: false,
      errors: ['key "category": value "sport" is not in the allowed enum [news, blog]'],
    });
    expect(await validate({ category: ['news', 'blog'] })).toMatchObject({
      valid: false,
      errors: ['key "category": 2 values exceed maxItems 1'],
    });
  },
};
