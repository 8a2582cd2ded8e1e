import { expect } from 'vitest';
import { addDocument, addDocuments, deleteCollection, deleteDocument, deleteDocuments, getChecksum, getDocument,
  getDocumentMeta, listMetaKeys, searchDocuments, setDocumentTtl, setSchema,
  updateDocument } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsScenarios, now, store } from './scenario.ts';

/** Writing, reading and finding documents (contract, section 4, "Documents"). */
export const documents: DocsScenarios = {
  async addDocument({ client, direct, collection }) {
    const meta = { category: ['news'], tags: ['release', 'api'] };
    const first = succeeded(await addDocument({
      client,
      body: { collection, key: 'Hello-World', lang: 'en', meta, contentMd: '# Hello\n\nFirst post. 🧭' },
    }));
    expect(first).toMatchObject({
      id: `${collection}|hello-world|en`,
      key: 'Hello-World',
      lang: 'en',
      meta,
      contentMd: '# Hello\n\nFirst post. 🧭',
    });
    expect(Math.abs(first.addedAt - now())).toBeLessThan(60);
    expect(first).not.toHaveProperty('expiresAt');

    const second = succeeded(
      await addDocument({ client, body: { collection, key: 'hello-WORLD', lang: 'EN', contentMd: 'again', ttl: 60 } }),
    );
    expect(second).toMatchObject({
      id: first.id,
      key: 'hello-WORLD',
      lang: 'EN',
      meta: {},
      contentMd: 'again',
      addedAt: first.addedAt,
    });
    expect(second.expiresAt! - second.updatedAt).toBe(60);

    succeeded(await setSchema({ client, body: { collection, schema: { required: ['category'] } } }));
    const invalid = await addDocument({ client, body: { collection, key: 'other', lang: 'en', contentMd: '' } });
    expect(refused(invalid, 400, 'validation_failed')).toMatchObject({
      error: 'validation failed',
      errors: ['required key "category" is missing'],
    });
    const missing = await addDocument({ client: direct, body: { collection, contentMd: '' } as never });
    expect(refused(missing, 400, 'missing_fields').error).toBe('missing fields: key, lang');
  },

  async addDocuments({ client, collection }) {
    const body = {
      collection,
      documents: [{ key: 'one', lang: 'en', contentMd: '# One', meta: { n: ['1'] } }, {
        key: 'two',
        lang: 'de',
        contentMd: '# Zwei',
      }, { key: 'bad|key', lang: 'en', contentMd: 'Never stored.' }, {
        key: 'ONE',
        lang: 'en',
        contentMd: '# One again',
      }],
    };
    expect(succeeded(await addDocuments({ client, body }))).toEqual({
      added: 2,
      updated: 1,
      failed: 1,
      errors: [expect.stringMatching(/^2 bad\|key: key must not/)],
    });
    const stored = succeeded(await getDocument({ client, body: { collection, key: 'ONE', lang: 'en' } }));
    expect(stored).toMatchObject({ id: `${collection}|one|en`, contentMd: '# One again', meta: {} });
  },

  async getDocument(context) {
    const { client, collection } = context;
    const document = await store(context, { key: 'Guide/Start', contentMd: 'Welcome to %%site%%, %%unknown%%.' });
    const read = async (key: string, env?: Record<string, string>) =>
      getDocument({ client, body: { collection, key, lang: 'en', ...(env ? { env } : {}) } });
    expect(succeeded(await read('Guide/Start'))).toEqual({ ...document, checksum: expect.any(String) });
    expect(succeeded(await read('Guide/Start', { site: 'example.org' })).contentMd).toBe(
      'Welcome to example.org, %%unknown%%.',
    );
    expect(refused(await read('guide/start'), 404, 'not_found').error).toBe('not found');
  },

  async searchDocuments(context) {
    const { client, direct, collection } = context;
    await store(context, { key: 'c', meta: { category: ['news'], tags: ['api', 'release'] } });
    await store(context, { key: 'a', meta: { category: ['blog'], tags: ['release'] } });
    await store(context, { key: 'b', meta: { category: ['draft'], tags: ['release'] } });
    const search = (query: object) => searchDocuments({ client, body: { collection, ...query } });

    const all = await search({});
    expect(succeeded(all).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    const page = await search({
      filterMeta: { category: ['news', 'blog'], tags: ['release'] },
      sort: 'key',
      limit: 1,
      offset: 1,
    });
    expect(succeeded(page)).toEqual([
      expect.objectContaining({ key: 'a', contentMd: '# Hello', meta: { category: ['blog'], tags: ['release'] } }),
    ]);
    expect(page.response!.headers.get('x-total-count')).toBe('2');
    expect(succeeded(await search({ fields: ['category'], limit: 1 }))).toEqual([{
      id: `${collection}|a|en`,
      key: 'a',
      lang: 'en',
      meta: { category: ['blog'] },
    }]);
    expect(succeeded(await searchDocuments({ client, body: { collection: `${collection}-empty` } }))).toEqual([]);
    refused(await searchDocuments({ client: direct, body: { collection, limit: 10_001 } }), 400, 'invalid_argument');
  },

  async updateDocument(context) {
    const { client, direct, collection } = context;
    const before = await store(context, { contentMd: '# Before', meta: { category: ['news'], tags: ['x'] } });
    const update = (change: object, key = 'hello-world') =>
      updateDocument({ client, body: { collection, key, lang: 'en', ...change } });
    expect(succeeded(await update({ contentMd: '# After' }))).toMatchObject({
      contentMd: '# After',
      meta: before.meta,
      addedAt: before.addedAt,
    });
    expect(succeeded(await update({ meta: { tags: ['y'] } }))).toMatchObject({
      contentMd: '# After',
      meta: { tags: ['y'] },
    });
    expect(succeeded(await update({ meta: {} })).meta).toEqual({});
    const nothing = await updateDocument({ client: direct, body: { collection, key: 'hello-world', lang: 'en' } });
    expect(refused(nothing, 400, 'missing_fields').error).toMatch(/^missing fields/);
    refused(await update({ contentMd: 'x' }, 'absent'), 404, 'not_found');
  },

  async getDocumentMeta(context) {
    const { client, direct, collection } = context;
    const { contentMd: _, ...rest } = await store(context, { key: 'with space & ä/1' });
    expect(succeeded(await getDocumentMeta({ client, query: { collection, key: 'with space & ä/1' } }))).toEqual({
      ...rest,
      collection,
      checksum: expect.any(String),
    });
    refused(await getDocumentMeta({ client, query: { collection, key: 'absent' } }), 404, 'not_found');
    expect(refused(await getDocumentMeta({ client: direct, query: {} as never }), 400, 'missing_fields').error).toBe(
      'missing fields: collection, key',
    );
  },

  async setDocumentTtl(context) {
    const { client, direct, collection } = context;
    await store(context);
    const identity = { collection, key: 'hello-world', lang: 'en' };
    const expiring = succeeded(await setDocumentTtl({ client, body: { ...identity, ttl: 3600 } }));
    expect(Math.abs(expiring.expiresAt! - now() - 3600)).toBeLessThan(60);
    expect(succeeded(await setDocumentTtl({ client, body: { ...identity, ttl: 0 } }))).not.toHaveProperty('expiresAt');
    refused(await setDocumentTtl({ client, body: { ...identity, key: 'absent', ttl: 1 } }), 404, 'not_found');
    refused(await setDocumentTtl({ client: direct, body: { ...identity, ttl: -1 } }), 400, 'invalid_argument');
  },

  async deleteDocument(context) {
    const { client, collection } = context;
    await store(context);
    const body = { collection, key: 'hello-world', lang: 'en' };
    expect(succeeded(await deleteDocument({ client, body }))).toEqual({ deleted: true, status: 'deleted', ...body });
    expect(refused(await deleteDocument({ client, body }), 404, 'not_found')).toMatchObject({
      error: 'not found',
      deleted: false,
    });
    refused(await getDocument({ client, body }), 404, 'not_found');
  },

  async deleteDocuments(context) {
    const { client, collection } = context;
    await store(context, { key: 'a' });
    await store(context, { key: 'b' });
    const remove = (...keys: string[]) =>
      deleteDocuments({ client, body: { collection, documents: keys.map((key) => ({ key, lang: 'en' })) } });
    expect(succeeded(await remove('a', 'absent'))).toEqual({ deleted: 1, not_found: 1, failed: 0, errors: null });
    expect(succeeded(await remove('b', 'bad|key'))).toMatchObject({
      deleted: 1,
      not_found: 0,
      failed: 1,
      errors: [expect.stringMatching(/^1 bad\|key: /)],
    });
    expect(succeeded(await getChecksum({ client, query: { collection } })).documentCount).toBe(0);
  },

  async deleteCollection(context) {
    const { client, collection } = context;
    await store(context, { key: 'a' });
    await store(context, { key: 'b' });
    expect(succeeded(await deleteCollection({ client, body: { collection } }))).toEqual({
      deleted: 2,
      status: 'deleted',
      collection,
    });
    expect(succeeded(await deleteCollection({ client, body: { collection } })).deleted).toBe(0);
    expect(succeeded(await searchDocuments({ client, body: { collection } }))).toEqual([]);
  },

  async listMetaKeys(context) {
    const { client, collection } = context;
    await store(context, { key: 'a', meta: { tags: ['release', 'api'], category: ['news'] } });
    await store(context, { key: 'b', meta: { tags: ['api'] } });
    expect(succeeded(await listMetaKeys({ client, query: { collection } }))).toEqual({
      meta: { category: ['news'], tags: ['api', 'release'] },
    });
  },

  async getChecksum(context) {
    const { client, collection } = context;
    const checksum = async () => succeeded(await getChecksum({ client, query: { collection } }));
    expect(await checksum()).toEqual({ collection, checksum: '00000000', documentCount: 0 });
    await store(context);
    const one = await checksum();
    expect(one).toEqual({ collection, checksum: expect.stringMatching(/^[0-9a-f]{8}$/), documentCount: 1 });
    await store(context, { contentMd: 'changed' });
    expect((await checksum()).checksum).not.toBe(one.checksum);
  },
};
