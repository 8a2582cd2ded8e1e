import { walk } from './scenarios-search.ts';
import type { Scenario } from './transcript.ts';

const page = (key: string, more: object = {}) => ({ key, lang: 'en', contentMd: `The page of ${key}.`, ...more });

/** Configurations of a collection, and conversations. */
export const rules: Record<string, Scenario> = {
  async 'a schema is set, applied and removed'({ ok, refused }) {
    const schema = {
      required: ['category'],
      properties: { category: { enum: ['news', 'blog'], maxItems: 1 }, year: { type: 'integer' } },
    };
    await ok('getSchema');
    await ok('setSchema', { schema });
    await ok('getSchema');
    await refused('validation_failed', 'addDocument', page('a'));
    await refused('validation_failed', 'addDocument',
      page('a', { meta: { category: ['news', 'other'], year: ['soon'] } }));
    await ok('addDocument', page('a', { meta: { category: ['news'], year: ['2020'] } }));
    await refused('validation_failed', 'updateDocument', { key: 'a', lang: 'en', meta: {} });
    await ok('addDocuments', { documents: [page('b'), page('c', { meta: { category: ['blog'] } })] });
    await ok('validateDocument', { meta: { category: ['other'], year: ['x'] } });
    await ok('validateDocument', { meta: { category: ['news'] } });
    await ok('validateDocument', { meta: {} });
    await ok('setSchema', { schema: JSON.stringify({ required: ['year'] }) });
    await ok('getSchema');
    for (const bad of ['not json', '[]']) await refused('invalid_argument', 'setSchema', { schema: bad });
    await refused('missing_fields', 'setSchema');
    await ok('deleteSchema');
    await ok('deleteSchema');
    await ok('getSchema');
    await ok('addDocument', page('d'));
  },

  async 'a configuration keeps what a change leaves unset'({ ok, refused }) {
    await ok('getCollectionConfig');
    await ok('setCollectionConfig', {
      trackAccess: true,
      spellCorrect: true,
      description: 'Pages.',
      maxRevisions: 2,
      customMeta: { nested: { list: [1, 'two', null, true, 1.5] } },
    });
    await ok('getCollectionConfig');
    await ok('setCollectionConfig', { icon: '🧭' });
    await ok('setCollectionConfig', {
      trackAccess: false,
      retrieval: { topK: 3, hybridAlpha: 0 },
      responsePrompt: 'Answer from {{collection}}.',
    });
    await ok('getCollectionConfig');
    await ok('setCollectionConfig', {
      retrieval: {
        algorithm: 'bm25f',
        fieldWeights: { content: 1, title: 2.5 },
        rerank: false,
        fuzzy: 'auto',
        searchableFields: ['content', 'title'],
      },
    });
    await ok('getCollectionConfig');
    await ok('setCollectionConfig', {
      retrieval: { topK: null, oversample: 2, fuzzy: 1, fieldWeights: null, searchableFields: ['meta.author'] },
      customMeta: null,
      description: '',
      maxRevisions: 0,
    });
    await ok('getCollectionConfig');
    await ok('addDocuments', { documents: [page('a'), page('b'), page('c'), page('d')] });
    await ok('setCollectionConfig', { retrieval: { topK: 3 } });
    await ok('searchDocuments');
    for (const bad of [{ type: 'music' }, { maxRevisions: -1 }, { retrieval: { topK: 0 } }, {
      retrieval: { searchableFields: [''] },
    }, { diskOnlyVectors: true }, { encrypted: true }, { quantization: 'int2' }, { partitions: 0 }, { partitions: 65 },
      { partitions: 'many' }])
      await refused('invalid_argument', 'setCollectionConfig', bad);
    await ok('getCollectionConfig');
    await ok('setCollectionConfig', { quantization: 'int8', diskOnlyVectors: true, partitions: 2 });
    await ok('deleteCollectionConfig');
    await ok('getCollectionConfig');
  },

  async 'automation rules are created, tried, replaced and deleted'({ ok, refused, collection }) {
    const url = 'http://127.0.0.1:1/{{doc.key}}';
    const idOf = (outcome: unknown): string => (outcome as { value: { id: string } }).value.id;
    await ok('addDocument', page('a', { contentMd: 'A terrible router.' }));
    const target = idOf(await ok('createAutomationRule', {
      type: 'webhook',
      name: 'W',
      url,
      headers: { 'X-A': '{{event}}' },
      secret: 'secret',
    }));
    const trigger = idOf(await ok('createAutomationRule', {
      type: 'trigger',
      name: 'T',
      query: 'router',
      webhookId: target,
      sentimentEnabled: true,
      sentimentMax: 0,
      searchParams: { algorithm: 'bm25', filterMeta: {}, topK: 5 },
    }));
    const cron = idOf(await ok('createAutomationRule', {
      type: 'cron',
      name: 'C',
      schedule: '0 0 29 2 *',
      triggerId: trigger,
      webhookUrl: url,
      enabled: false,
    }));
    for (const id of [target, trigger, cron]) await ok('getAutomationRule', { id });
    await ok('testAutomationRule', { id: trigger });
    await ok('updateAutomationRule', {
      id: trigger,
      type: 'trigger',
      name: 'T2',
      query: 'nothing',
      threshold: 0.5,
      events: ['*'],
      webhookUrl: url,
    });
    await ok('testAutomationRule', { id: trigger });
    await ok('listAutomationLogs', { ruleId: cron, status: 'skipped' });
    await refused('invalid_argument', 'createAutomationRule', {
      type: 'trigger',
      name: 'T',
      query: 'x',
      webhookId: 'auto_none',
    });
    await refused('missing_fields', 'createAutomationRule', { type: 'cron', name: 'C', query: 'x', webhookUrl: url });
    await refused('invalid_argument', 'testAutomationRule', { id: target });
    for (const id of [cron, trigger, target]) await ok('deleteAutomationRule', { id });
    await refused('not_found', 'getAutomationRule', { id: `auto_${collection}` });
  },

  async 'a webhook is tested'({ ok, refused, collection }) {
    const { id } =
      (await ok('createWebhook', { url: 'http://127.0.0.1:1/hook', events: ['doc.added'], secret: 'secret' }) as {
        value: { id: string };
      }).value;
    await ok('testWebhook', { id });
    await ok('deleteWebhook', { id });
    await refused('not_found', 'testWebhook', { id: `wh_${collection}` });
  },

  async 'a conversation is kept, recalled and condensed'(calls) {
    const { ok, refused, collection } = calls;
    const started = await ok('startSession', { userId: collection, scenario: 'support', meta: { topic: ['boats'] } });
    const { sessionId } = (started as { value: { sessionId: string } }).value;
    await ok('addMessage', {
      sessionId,
      role: 'user',
      content: 'Where do blue whales swim? I must know.',
      meta: { mood: ['curious'] },
    });
    await ok('addMessage', {
      sessionId,
      role: 'assistant',
      content: 'Blue whales swim in all oceans. They eat 4 tonnes of krill a day.',
    });
    await ok('getSessionHistory', { sessionId });
    await ok('getSessionHistory', { sessionId, limit: 1, offset: 1 });
    await ok('recallMemory', { query: 'krill', userId: collection, strategy: 'keyword', includeContent: true });
    await ok('recallMemory', {
      query: 'krill',
      userId: collection,
      strategy: 'keyword',
      rangeMeta: [{ field: 'role', lt: 'b' }],
    });
    await ok('recallMemory', {
      query: 'whales',
      userId: collection,
      sessionId,
      role: 'user',
      strategy: 'keyword',
      topK: 1,
    });
    await ok('recallMemory', { query: 'whales', userId: collection, strategy: 'keyword', limit: 1, offset: 1 });
    for (const text of ['mood EXISTS', 'NOT mood EXISTS'])
      await ok('recallMemory', { query: 'whales', userId: collection, strategy: 'keyword', filter: { text } });
    await ok('recallMemory', { query: 'whales', userId: collection, strategy: 'keyword', mmr: true, mmrLambda: 0.25 });
    await walk(calls, 'recallMemory', { query: 'whales', userId: collection, strategy: 'keyword', sort: 'key:asc' });
    await ok('recallMemory', {
      query: 'whales',
      userId: collection,
      strategy: 'keyword',
      alpha: 0.25,
      threshold: 0,
      filterMeta: { mood: ['curious'] },
      rerank: 'none',
      contextTokenBudget: 50,
    });
    for (const langs of [['en'], ['de']])
      await ok('recallMemory', { query: 'whales', userId: collection, strategy: 'keyword', langs });
    await ok('summarizeSession', { sessionId, userId: collection });
    await ok('listSessions', { userId: collection, sort: 'title', asc: true });
    await ok('deleteSession', { id: sessionId });
    await ok('recallMemory', { query: 'krill', userId: collection, strategy: 'keyword' });
    await refused('not_found', 'deleteSession', { id: sessionId });
    await refused('not_found', 'addMessage', { sessionId: `ses_${'0'.repeat(24)}`, role: 'user', content: 'x' });
    await refused('invalid_argument', 'addMessage', { sessionId, role: 'wizard', content: 'x' });
    await refused('invalid_argument', 'deleteSession', { id: 'x'.repeat(129) });
    await refused('missing_fields', 'startSession');
  },

  async 'bad input of many kinds is refused in the same words'({ ok, refused }) {
    await ok('addDocument', page('kept'));
    const bad = (more: object, code = 'invalid_argument') =>
      refused(code, 'addDocument', { key: 'k', lang: 'en', contentMd: 'x', ...more });
    for (const collection of ['_system', 'a|b', 'x'.repeat(129), 'tab\tbed']) await bad({ collection });
    for (const key of ['a|b', 'k'.repeat(1025), 'é'.repeat(513), 'nul\u0000', 'line\nbreak']) await bad({ key });
    for (const lang of ['e n', 'x'.repeat(36), 'en.GB']) await bad({ lang });
    for (const name of ['collection', 'key', 'lang', 'contentMd']) await bad({ [name]: undefined }, 'missing_fields');
    for (const name of ['collection', 'key', 'lang']) await bad({ [name]: '' }, 'missing_fields');
    await bad({ collection: undefined, key: undefined, lang: undefined, contentMd: undefined }, 'missing_fields');
    await bad({ ttl: -1 });
    await bad({ ttl: Number.MAX_SAFE_INTEGER });
    await bad({ meta: Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`key ${i}`, ['v']])) });
    await bad({ meta: { key: Array.from({ length: 1001 }, () => 'v') } });
    await bad({ meta: { key: ['v'.repeat(8193)] } });
    await refused('invalid_argument', 'searchDocuments', {
      filterMeta: { key: Array.from({ length: 1001 }, (_, i) => String(i)) },
    });
    await refused('invalid_argument', 'searchFullText', { query: 'q'.repeat(4097) });
    await refused('invalid_argument', 'addDocuments', {
      documents: Array.from({ length: 10_001 }, (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: '' })),
    });
    await ok('searchDocuments');
  },

  async 'values of a wrong type are refused in the same words'({ ok, refused }) {
    await ok('addDocument', page('kept'));
    for (const wrong of [{ contentMd: 5 }, { key: ['k'] }, { meta: [] }, { ttl: '5' }, { ttl: 1.5 }, {
      saveRevision: 'no',
    }, { lang: null }, { contentMd: 'lone \ud800 surrogate' }]) {
      await refused('invalid_argument', 'addDocument', { key: 'k', lang: 'en', contentMd: 'x', ...wrong });
    }
    for (const wrong of [{ limit: '5' }, { limit: 2.5 }, { asc: 1 }, { filterMeta: 'x' }, { fields: 'key' }])
      await refused('invalid_argument', 'searchDocuments', wrong);
    for (const wrong of [{ ttl: null }, { meta: null }, { saveRevision: null }])
      await refused('invalid_argument', 'addDocument', { key: 'k', lang: 'en', contentMd: 'x', ...wrong });
    for (const wrong of [{ limit: null }, { filterMeta: null }, { asc: null }])
      await refused('invalid_argument', 'searchDocuments', wrong);
    for (const env of [{ a: 5 }, { a: null }, { a: ['x'] }])
      await refused('invalid_argument', 'getDocument', { key: 'kept', lang: 'en', env });
    await refused('invalid_argument', 'addDocuments', { documents: 'all' });
    await refused('invalid_argument', 'setSchema', { schema: 5 });
    await refused('invalid_argument', 'addDocument', { ...page('kept'), unknown: { field: true } });
    await ok('searchDocuments');
  },
};
