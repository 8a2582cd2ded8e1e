import { expect } from 'vitest';
import { getDocument, getTemporalHistogram, listHotDocuments, queryTemporal,
  setCollectionConfig } from '../../generated/docs/sdk/sdk.gen.ts';
import type { QueryTemporalResponse } from '../../generated/docs/sdk/types.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, now, store } from './scenario.ts';

const KEY = 'hello-world';

/** Writes are recorded a moment after the response. */
async function recorded({ client, collection }: DocsContext, total: number): Promise<QueryTemporalResponse> {
  for (;;) {
    const found = succeeded(await queryTemporal({ client, body: { collection, key: KEY, lang: 'en' } }));
    if (found.total >= total) return found;
  }
}

async function readOnce({ client, collection }: DocsContext): Promise<void> {
  succeeded(await getDocument({ client, body: { collection, key: KEY, lang: 'en' } }));
}

/** Temporal tracking (decisions, section 4.10). */
export const temporal: DocsScenarios = {
  async queryTemporal(context) {
    const { client, collection } = context;
    succeeded(await setCollectionConfig({ client, body: { collection, trackAccess: true } }));
    const { id } = await store(context);
    await store(context, { contentMd: 'other' });
    await recorded(context, 2);
    await readOnce(context);
    // The comparison of protocols reads the document again.
    const { events, total, docId } = await recorded(context, 3);
    expect([docId, total]).toEqual([id, events.length]);
    expect(events.map(({ eventType }) => eventType)).toEqual(expect.arrayContaining(['access', 'update', 'create']));
    expect(events.find(({ eventType }) => eventType === 'access')).toMatchObject({
      docId: id,
      collection,
      actor: 'admin',
    });
    expect(Math.abs(events[0]!.timestamp - now())).toBeLessThan(60);
    const updates = succeeded(
      await queryTemporal({ client, body: { collection, key: KEY, lang: 'en', eventType: 'update', limit: 1 } }),
    );
    expect(updates).toMatchObject({ events: [{ eventType: 'update' }], total: 1 });
    expect(succeeded(await queryTemporal({ client, body: { collection, key: 'none', lang: 'en' } }))).toMatchObject({
      events: [],
      total: 0,
    });
    refused(await queryTemporal({ client, body: { collection, key: KEY, lang: 'en', from: 2, to: 1 } }), 400,
      'invalid_argument');
  },

  async listHotDocuments(context) {
    const { client, collection } = context;
    succeeded(await setCollectionConfig({ client, body: { collection, trackHot: true } }));
    const document = await store(context);
    for (let i = 0; i < 3; i++) await readOnce(context);
    const { entries } = succeeded(await listHotDocuments({ client, body: { collection } }));
    expect(entries[0]!.accessCount).toBeGreaterThanOrEqual(3);
    expect(entries).toEqual([{
      docId: document.id,
      accessCount: entries[0]!.accessCount,
      lastAccessAt: expect.any(Number) as number,
      document,
    }]);
    expect(succeeded(await listHotDocuments({ client, body: { collection, since: now() + 100 } })).entries).toEqual([]);
  },

  async getTemporalHistogram(context) {
    const { client, collection } = context;
    await store(context);
    await recorded(context, 1);
    const { buckets, interval, eventType } = succeeded(
      await getTemporalHistogram({ client, body: { collection, eventType: 'create', interval: 'week' } }),
    );
    expect([interval, eventType, buckets.length]).toEqual(['week', 'create', 1]);
    expect(buckets[0]).toMatchObject({ count: 1, to: buckets[0]!.from + 7 * 86_400 });
    expect(succeeded(await getTemporalHistogram({ client, body: { collection } }))).toMatchObject({
      eventType: 'access',
      interval: 'day',
      buckets: [],
    });
    refused(await getTemporalHistogram({ client, body: { collection, from: 2, to: 1 } }), 400, 'invalid_argument');
  },
};
