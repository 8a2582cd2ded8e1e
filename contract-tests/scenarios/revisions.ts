import { expect } from 'vitest';
import { getDocument, listRevisions, restoreRevision, truncateRevisions } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, store } from './scenario.ts';

const identity = (collection: string) => ({ collection, key: 'hello-world', lang: 'en' });

async function history({ client, collection }: DocsContext) {
  return succeeded(await listRevisions({ client, body: identity(collection) }));
}

/** The history of a document (contract, section 2, "Document"; decisions D-33 to D-35). */
export const revisions: DocsScenarios = {
  async listRevisions(context) {
    const { client, collection } = context;
    await store(context, { contentMd: 'one', meta: { n: ['1'] } });
    await store(context, { contentMd: 'two', meta: { n: ['2'] } });
    const { revisions, ...rest } = await history(context);
    expect(rest).toEqual({ ...identity(collection), total: 2 });
    expect(revisions.map(({ contentMd, meta }) => [contentMd, meta])).toEqual([['two', { n: ['2'] }], ['one', {
      n: ['1'],
    }]]);
    expect(revisions[0]!.revision).toBeGreaterThan(revisions[1]!.revision);
    refused(await listRevisions({ client, body: { ...identity(collection), key: 'absent' } }), 404, 'not_found');
  },

  async restoreRevision(context) {
    const { client, collection } = context;
    const first = await store(context, { contentMd: 'one', meta: { n: ['1'] } });
    await store(context, { contentMd: 'two', meta: { n: ['2'] } });
    const { revision } = (await history(context)).revisions[1]!;
    const restored = succeeded(await restoreRevision({ client, body: { ...identity(collection), revision } }));
    expect(restored).toMatchObject({ contentMd: 'one', meta: { n: ['1'] }, addedAt: first.addedAt });
    expect((await history(context)).revisions.map(({ contentMd }) => contentMd)).toEqual(['one', 'two', 'one']);
    refused(await restoreRevision({ client, body: { ...identity(collection), timestamp: 1 } }), 404, 'not_found');
  },

  async truncateRevisions(context) {
    const { client, direct, collection } = context;
    for (const contentMd of ['one', 'two', 'three']) await store(context, { contentMd });
    const truncate = async (keepRevs: number) =>
      succeeded(await truncateRevisions({ client, body: { collection, keepRevs } }));
    expect(await truncate(1)).toEqual({ deleted: 2, status: 'truncated', collection, keepRevs: 1 });
    expect((await history(context)).revisions.map(({ contentMd }) => contentMd)).toEqual(['three']);
    expect((await truncate(0)).deleted).toBe(1);
    expect((await history(context)).total).toBe(0);
    expect(succeeded(await getDocument({ client, body: identity(collection) })).contentMd).toBe('three');
    expect(
      refused(await truncateRevisions({ client: direct, body: { collection } as never }), 400, 'missing_fields').error,
    ).toBe('missing fields: keepRevs');
  },
};
