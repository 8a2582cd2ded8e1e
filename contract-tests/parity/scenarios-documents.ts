import type { Calls, Scenario } from './transcript.ts';

const ENGLISH = { lang: 'en' };
const page = (key: string, more: object = {}) => ({
  key,
  ...ENGLISH,
  contentMd: `# ${key}\n\nThe page of ${key}.`,
  ...more,
});

/** Keys that have a meaning in a language, a codec or a query, but are ordinary keys here. */
const ODD_META = JSON.parse(
  '{"__proto__":["p"],"constructor":["c"],"toString":["t"],"filter_meta":["s"],"filterMeta":["c"],"contentMd":["b"],"with ' +
    'space":["w"],"dots.and/slashes":["d"],"ключ ' +
    '🗝":["значение","🧭"],"10":["ten"],"2":["two"],"$where":["1"],"values":["v","v2"]}',
) as Record<string, string[]>;

/** Writing, reading and deleting documents. */
export const documents: Record<string, Scenario> = {
  async 'a document is written, read, changed and deleted'({ ok, refused }: Calls) {
    const first = {
      key: 'Hello/World',
      lang: 'en-GB',
      meta: { tags: ['b', 'a', 'b', ''], category: ['news'] },
      contentMd: '# Hello %%name%%\n\n🧭 “Grüße”\u0000 \u2028 <b>\t\r\n',
    };
    await ok('addDocument', first);
    await ok('getDocument', { key: 'Hello/World', lang: 'en-GB' });
    await ok('getDocument', { key: 'Hello/World', lang: 'EN-gb', env: { name: 'you', other: 'x' } });
    await refused('not_found', 'getDocument', { key: 'hello/world', lang: 'en-GB' });
    await refused('not_found', 'getDocument', { key: 'Hello/World', lang: 'de' });
    await ok('getDocumentMeta', { key: 'Hello/World', lang: 'en-GB' });
    await refused('not_found', 'getDocumentMeta', { key: 'Hello/World' });
    await ok('addDocument', { ...first, key: 'HELLO/world', meta: undefined, contentMd: '', ttl: 3600 });
    await ok('getDocument', { key: 'HELLO/world', lang: 'en-GB' });
    await ok('deleteDocument', { key: 'Hello/World', lang: 'en-GB' });
    await refused('not_found', 'deleteDocument', { key: 'Hello/World', lang: 'en-GB' });
    await refused('not_found', 'getDocument', { key: 'Hello/World', lang: 'en-GB' });
  },

  async 'a deleted document is found, restored and purged'({ ok, refused }: Calls) {
    const key = { key: 'page', ...ENGLISH };
    await ok('addDocument', page('page', { meta: { tags: ['x'] } }));
    await ok('addDocument', page('other'));
    await ok('deleteDocument', key);
    await ok('searchDocuments', { deleted: true });
    await ok('searchDocuments', { deleted: true, filterMeta: { tags: ['y'] } });
    await ok('searchDocuments', { deleted: false });
    await ok('listRevisions', key);
    await refused('not_found', 'restoreRevision', { ...key, revision: 9 });
    await refused('precondition_failed', 'restoreRevision', { ...key, revision: 1, ifChecksum: '0123456789abcdef' });
    await ok('restoreRevision', { ...key, revision: 1 });
    await ok('listRevisions', key);
    await ok('getDocument', key);
    await ok('deleteDocument', { ...key, purge: true });
    await refused('not_found', 'listRevisions', key);
    await ok('deleteDocuments', { documents: [{ key: 'other', ...ENGLISH }], purge: false });
    await ok('deleteDocuments', { documents: [{ key: 'other', ...ENGLISH }], purge: true });
    await ok('searchDocuments', { deleted: true });
  },

  async 'a write that expects a state of its document happens in that state only'({ ok, refused }) {
    const name = { key: 'state', ...ENGLISH };
    const other = '0123456789abcdef';
    const sumOf = (outcome: unknown): string => (outcome as { value: { checksum: string } }).value.checksum;
    const read = async (): Promise<string> => sumOf(await ok('getDocument', name));
    await refused('precondition_failed', 'addDocument', page('state', { ifChecksum: other }));
    await ok('addDocument', page('state'));
    await ok('addDocument', page('state', { contentMd: 'two', ifChecksum: await read() }));
    await ok('updateDocument', { ...name, contentMd: 'three', ifChecksum: await read() });
    await ok('setDocumentTtl', { ...name, ttl: 3600, ifChecksum: await read() });
    for (const [operation, change] of [['addDocument', { contentMd: '' }], ['updateDocument', { contentMd: '' }], [
      'setDocumentTtl',
      { ttl: 0 },
    ], ['deleteDocument', {}]] as const) {
      await refused('precondition_failed', operation, { ...name, ...change, ifChecksum: other });
    }
    await ok('getDocumentMeta', name);
    await refused('not_found', 'deleteDocument', { ...name, lang: 'de', ifChecksum: other });
    await ok('deleteDocument', { ...name, ifChecksum: await read() });
    await refused('not_found', 'getDocument', name);
  },

  async 'a document is read in the first language that has it'({ ok, refused }) {
    for (const lang of ['en', 'de-AT']) await ok('addDocument', { key: 'page', lang, contentMd: lang });
    await ok('getDocument', { key: 'page', lang: 'fr', fallbackLangs: ['it', 'de-AT', 'en'] });
    await ok('getDocument', { key: 'page', lang: 'en', fallbackLangs: ['de-AT'] });
    await ok('getDocument', { key: 'page', lang: 'fr', fallbackLangs: ['EN'], env: { a: 'b' } });
    await refused('not_found', 'getDocument', { key: 'page', lang: 'fr', fallbackLangs: ['it'] });
    await refused('not_found', 'getDocument', { key: 'page', lang: 'fr', fallbackLangs: [] });
    await refused('invalid_argument', 'getDocument', { key: 'page', lang: 'fr', fallbackLangs: ['e n'] });
  },

  async 'a collection is the same in any letter case'({ ok, collection }) {
    const upper = collection.toUpperCase();
    await ok('addDocument', page('a'));
    await ok('addDocument', page('b', { collection: upper }));
    await ok('getDocument', { collection: upper, key: 'a', ...ENGLISH });
    await ok('getDocumentMeta', { collection: upper, key: 'b' });
    await ok('searchDocuments', { collection: upper });
    await ok('searchFullText', { collection: upper, query: 'page' });
    await ok('listRevisions', { collection: upper, key: 'a', ...ENGLISH });
    await ok('getChecksum', { collection: upper });
    await ok('setCollectionConfig', { collection: upper, icon: '🧭' });
    await ok('getCollectionConfig');
    await ok('deleteCollection', { collection: upper });
    await ok('searchDocuments');
  },

  async 'an update changes what is given and keeps the rest'({ ok, refused }) {
    const key = { key: 'page', ...ENGLISH };
    await ok('addDocument', page('page', { meta: { tags: ['x'], n: ['1', '2'] } }));
    await ok('updateDocument', { ...key, contentMd: 'Changed.' });
    await ok('updateDocument', { ...key, meta: { tags: ['y', 'z'] } });
    await ok('updateDocument', { ...key, ttl: 60 });
    await ok('updateDocument', { ...key, contentMd: '' });
    await ok('getDocument', key);
    await ok('updateDocument', { ...key, ttl: 0 });
    await ok('updateDocument', { ...key, meta: {} });
    await ok('getDocument', key);
    await refused('missing_fields', 'updateDocument', key);
    await refused('not_found', 'updateDocument', { ...key, key: 'absent', contentMd: 'x' });
    await ok('setDocumentTtl', { ...key, ttl: 5 });
    await ok('setDocumentTtl', { ...key, ttl: 0 });
    await refused('not_found', 'setDocumentTtl', { key: 'absent', ...ENGLISH, ttl: 1 });
    await refused('invalid_argument', 'setDocumentTtl', { ...key, ttl: -1 });
    await refused('missing_fields', 'setDocumentTtl', key);
  },

  async 'metadata keep every key and every value'({ ok }) {
    await ok('addDocument', page('odd', { meta: ODD_META }));
    await ok('getDocument', { key: 'odd', ...ENGLISH });
    await ok('listMetaKeys');
    for (const name of ['__proto__', 'filter_meta', 'filterMeta', 'with space', 'ключ 🗝', '10'])
      await ok('searchDocuments', { filterMeta: Object.fromEntries([[name, ODD_META[name]]]) });
    await ok('updateDocument', { key: 'odd', ...ENGLISH, meta: ODD_META });
    await ok('addDocuments', { documents: [page('batch', { meta: ODD_META })] });
    await ok('getDocument', { key: 'batch', ...ENGLISH });
    await ok('addDocument', page('empty', { meta: { none: [], empty: [''] } }));
    await ok('getDocument', { key: 'empty', ...ENGLISH });
  },

  async 'a search filters, sorts and pages'({ ok, refused }) {
    const meta = (...tags: string[]) => ({ meta: { tags, kind: ['page'] } });
    await ok('addDocuments', {
      documents: [page('c', meta('red', 'blue')), page('a', meta('red')), page('b', meta('green')),
        page('d', { lang: 'de', ...meta('blue') })],
    });
    await ok('searchDocuments');
    await ok('searchDocuments', { filterMeta: { tags: ['red', 'green'], kind: ['page'] } });
    await ok('searchDocuments', { filterMeta: { tags: ['none'] } });
    await ok('searchDocuments', { filterMeta: {} });
    await ok('searchDocuments', { filter: { text: 'tags = red AND NOT tags = blue' }, langs: ['EN'] });
    await ok('searchDocuments', {
      filter: {
        and: [{ field: 'kind', eq: 'page', exists: true }, {
          or: [{ field: 'tags', in: ['green'] }, { not: { field: 'key', startsWith: 'c' } }],
        }],
      },
      topK: 2,
    });
    await ok('searchDocuments', { langs: ['de', 'fr'] });
    await ok('searchDocuments', { rangeMeta: [{ field: 'addedAt', gte: 1 }, { field: 'kind', lt: 'q' }] });
    for (const asc of [true, false, undefined]) await ok('searchDocuments', { sort: 'key', asc });
    await ok('searchDocuments', { sort: 'updatedAt', asc: true });
    await ok('searchDocuments', { asc: false });
    for (const sort of ['key', 'kind:asc,key']) await ok('searchDocuments', { sort, cursor: '*', limit: 1 });
    await ok('searchDocuments', { cursor: '*', langs: ['none'] });
    for (const sort of ['tags:asc, key:desc', 'meta.tags,lang:asc', 'kind:desc', 'expiresAt'])
      await ok('searchDocuments', { sort });
    await ok('searchDocuments', { limit: 0, partial: true });
    await ok('searchDocuments', { limit: 2 });
    await ok('searchDocuments', { limit: 2, offset: 1, sort: 'key', asc: true });
    await ok('searchDocuments', { limit: 2, offset: 3 });
    await ok('searchDocuments', { offset: 100 });
    await ok('searchDocuments', { fields: ['tags', 'updatedAt'] });
    await ok('searchDocuments', { fields: ['contentMd'], limit: 1 });
    await ok('searchDocuments', { includeContent: false });
    await ok('searchDocuments', { includeContent: true, limit: 1 });
    await ok('searchDocuments', { contextTokenBudget: 10 });
    await ok('searchDocuments', { collection: 'parity-there-is-no-such-collection' });
    for (const bad of [{ limit: -1 }, { limit: 10_001 }, { offset: -1 }, { sort: 'size' }, { sort: 'score' }, {
      sort: 'key,',
    }, { cursor: 'x' }, { cursor: '*', offset: 1 }, { contextTokenBudget: -1 }, { fields: [''] }, {
      filter: { text: 'a =' },
    }, { filter: { field: 'a' } }, { filter: {} }, { limit: 1, topK: 2 }, { langs: [''] }])
      await refused('invalid_argument', 'searchDocuments', bad);
  },

  async 'a batch stores what it can and tells of the rest'({ ok, refused }) {
    const documents = [page('one', { meta: { n: ['1'] } }), page('bad|key'), { key: 'no body', ...ENGLISH },
      page('two', { ttl: -1 }), page('', {}), page('three', { saveRevision: false }),
      page('ONE', { lang: 'EN', ttl: 100 }), page('four', { lang: 'not a language' }), { contentMd: 'nameless' }];
    await ok('addDocuments', { documents });
    await ok('searchDocuments');
    await ok('listRevisions', { key: 'ONE', ...ENGLISH });
    await ok('listRevisions', { key: 'three', ...ENGLISH });
    await ok('addDocuments', { documents: [page('five'), page('six', { saveRevision: true })], saveRevision: false });
    for (const key of ['five', 'six']) await ok('listRevisions', { key, ...ENGLISH });
    await refused('invalid_argument', 'addDocuments', { documents: [] });
    await refused('missing_fields', 'addDocuments');
    await ok('deleteDocuments', {
      documents: [{ key: 'ONE', ...ENGLISH }, { key: 'absent', ...ENGLISH }, { key: 'bad|key', ...ENGLISH }, {
        key: 'x',
      }],
    });
    await ok('deleteDocuments', { documents: [{ key: 'three', ...ENGLISH }] });
    await ok('getChecksum');
    await ok('deleteCollection');
    await ok('deleteCollection');
    await ok('getChecksum');
  },

  async 'pages that were scraped are ingested'({ ok, refused }) {
    const documents = [{
      url: 'https://example.org/Guide/Start.html?x=1',
      lang: 'en',
      contentMd: '---\ntitle: Start\n---\n# Start',
      extractFrontmatter: true,
      scrapedAt: 1_700_000_000,
      scraper: 'spider',
    }, { key: 'plain', lang: 'en', contentMd: 'Plain **text**.', meta: { a: ['b'] } }, {
      key: 'PLAIN',
      lang: 'en',
      contentMd: 'Plain again.',
    }, { lang: 'en', contentMd: 'Nameless.' }];
    await ok('ingestDocuments', { documents });
    await ok('searchDocuments');
    await ok('ingestDocuments', { documents, options: { skipDuplicates: true, saveRevision: false } });
    await ok('ingestDocuments', { documents: documents.slice(0, 1), options: { profile: 'fast' } });
    await ok('ingestDocuments', {
      documents: [{ ...documents[1], meta: { a: ['c'] } }, { ...documents[0], scrapedAt: 1_700_000_001 }],
      options: { skipDuplicates: true },
    });
    const pages = ['https://example.org/Show?id=1', 'https://example.org/show.html?id=2',
      'https://example.org/M%C3%BCller'].map((url) => ({ url, lang: 'en', contentMd: url }));
    await ok('ingestDocuments', { documents: pages });
    await ok('ingestDocuments', { documents: pages, options: { keyFrom: 'url' } });
    await ok('searchDocuments');
    await refused('invalid_argument', 'ingestDocuments', { documents, options: { profile: 'slow' } });
    await refused('invalid_argument', 'ingestDocuments', { documents, options: { keyFrom: 'host' } });
    await refused('invalid_argument', 'ingestDocuments', { documents: [] });
  },

  async 'revisions are listed, restored and trimmed'({ ok, refused }) {
    const key = { key: 'page', ...ENGLISH };
    for (const version of [1, 2, 3, 4])
      await ok('addDocument', page('page', { contentMd: `Version ${version}.`, meta: { version: [String(version)] } }));
    await ok('addDocument', page('page', { contentMd: 'Unkept.', saveRevision: false }));
    const listed = await ok('listRevisions', key);
    const { revisions } = (listed as { value: { revisions: { revision: number; timestamp: number }[] } }).value;
    await ok('restoreRevision', { ...key, revision: revisions[2]!.revision });
    await ok('restoreRevision', { ...key, timestamp: revisions[2]!.timestamp });
    await ok('listRevisions', { ...key, limit: 2, offset: 1, includeContent: false });
    await ok('getDocument', key);
    await ok('listRevisions', key);
    await refused('not_found', 'restoreRevision', { ...key, timestamp: 1 });
    await refused('not_found', 'listRevisions', { ...key, key: 'absent' });
    await refused('missing_fields', 'restoreRevision', key);
    await refused('missing_fields', 'truncateRevisions');
    await refused('invalid_argument', 'truncateRevisions', { keepRevs: -1 });
    await ok('truncateRevisions', { keepRevs: 2 });
    await ok('listRevisions', key);
    await ok('truncateRevisions', { keepRevs: 0, dropCache: true });
    await ok('listRevisions', key);
  },
};
