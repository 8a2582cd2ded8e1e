/** The key of the encrypted collection. */
export const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

/** Settings of the service that writes and of the services that read. */
export const SETTINGS = { SVC_ENCRYPTION_KEY: ENCRYPTION_KEY, SVC_EMBEDDING_PROVIDER: 'builtin' } as const;

/** A request of the story. */
export interface Step {
  readonly method?: 'PUT';
  readonly path: string;
  readonly body: object;
}

export const FOX = { collection: 'notes', key: 'fox', lang: 'en' } as const;
export const FIRST_BODY = '# The fox\n\nA quick brown fox jumps over the lazy dog.';
export const SECOND_BODY = '# The fox\n\nA quick brown fox sleeps. Ünïcödé, 東京 and 👋 stay what they are.';

/**
 * The requests that store the data, in order. Each has the form of the first version that supported it, and has been
 * valid ever since.
 */
export const STORY: readonly Step[] = [{
  path: '/v1/add',
  body: { ...FOX, contentMd: FIRST_BODY, meta: { category: ['news'] } },
}, { path: '/v1/add', body: { ...FOX, contentMd: SECOND_BODY, meta: { category: ['news', 'animals'] } } }, {
  path: '/v1/add',
  body: { collection: 'notes', key: 'hund', lang: 'de', contentMd: 'Der Hund schläft.', meta: { category: ['tiere'] } },
}, {
  path: '/v1/add',
  body: {
    collection: 'notes',
    key: 'sum.ts',
    lang: 'en',
    contentMd: 'export function sumOf(a: number, b: number): number { return a + b; }',
  },
}, { path: '/v1/add', body: { collection: 'notes', key: 'gone', lang: 'en', contentMd: 'This one is deleted.' } }, {
  path: '/v1/delete',
  body: { collection: 'notes', key: 'gone', lang: 'en' },
}, { path: '/v1/schema/set', body: { collection: 'strict', schema: { required: ['category'] } } }, {
  path: '/v1/synonyms',
  body: { collection: 'notes', term: 'vixen', synonyms: ['fox'] },
}, { path: '/v1/memory/session', body: { userId: 'ada' } }, {
  method: 'PUT',
  path: '/v1/collection-config',
  body: { collection: 'secrets', encrypted: true },
}, {
  path: '/v1/add',
  body: {
    collection: 'secrets',
    key: 'plan',
    lang: 'en',
    contentMd: 'Meet at the old lighthouse.',
    meta: { level: ['high'] },
  },
}, { path: '/v1/webhooks', body: { url: 'https://example.com/hook', events: ['doc.added'], collection: 'nowhere' } }, {
  path: '/v1/add',
  body: {
    collection: 'notes',
    key: 'berlin',
    lang: 'en',
    contentMd: 'The Brandenburg Gate.',
    meta: { geo_lat: ['52.5163'], geo_lng: ['13.3777'] },
  },
}, {
  path: '/v1/automation',
  body: { type: 'webhook', name: 'Somewhere', url: 'https://example.com/rule', enabled: false },
}];
