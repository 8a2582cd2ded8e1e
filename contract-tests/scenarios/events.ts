import { expect } from 'vitest';
import { streamEvents } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsScenarios, store } from './scenario.ts';

/** The stream of events (contract section 6). */
export const events: DocsScenarios = {
  async streamEvents(context) {
    const { client, collection } = context;
    await store(context);
    await store(context, { contentMd: 'other' });
    const ids: (string | undefined)[] = [];
    const read = async (query: { lastEventId: string; events?: string[] }) => {
      const { stream } = await streamEvents({
        client,
        query: { collection, follow: false, ...query },
        onSseEvent: ({ id }) => void ids.push(id),
      });
      const told: unknown[] = [];
      for await (const event of stream) told.push(event);
      return told;
    };
    const added = {
      event: 'doc.added',
      collection,
      key: 'hello-world',
      lang: 'en',
      docId: `${collection}|hello-world|en`,
      timestamp: expect.any(Number) as number,
    };
    expect(await read({ lastEventId: '0' })).toEqual([added, { ...added, event: 'doc.updated' }]);
    expect(await read({ lastEventId: ids.at(-2)! })).toEqual([{ ...added, event: 'doc.updated' }]);
    expect(await read({ lastEventId: '0', events: ['insert'] })).toEqual([added]);
    // Also read as text, because the interceptors of a client do not see its streams.
    const text = succeeded(await client.get<{ 200: string }>({
      url: '/v1/events',
      security: [{ scheme: 'bearer', type: 'http' }],
      parseAs: 'text',
      query: { collection, follow: false, lastEventId: '0' },
    }));
    expect(text).toMatch(/^retry: 3000\nid: \d+\n\nid: \d+\nevent: doc\.added\ndata: \{/);
    refused(await client.get({
      url: '/v1/events',
      security: [{ scheme: 'bearer', type: 'http' }],
      query: { events: 'doc.eaten' },
    }), 400, 'invalid_argument');
  },
};
