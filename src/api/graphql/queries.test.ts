import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import type { GraphqlAnswer } from '../../testkit/graphql/graphql-fixture.ts';
import { HttpClient } from '../../testkit/http-client.ts';

const NOW = 1_766_400_000;

describe('queries and mutations of a running server', () => {
  let server: DocsServer;
  let client: HttpClient;
  beforeAll(async () => {
    server = await startDocsServer({ clock: { now: () => NOW * 1000 }, env: { SVC_EMBEDDING_PROVIDER: 'builtin' } });
    client = new HttpClient(server.url);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  const ask = async (query: string, variables?: object): Promise<GraphqlAnswer> =>
    (await client.post('/graphql', { query, variables })).json<GraphqlAnswer>();
  const data = async (query: string, variables?: object): Promise<Record<string, unknown>> => {
    const answer = await ask(query, variables);
    expect(answer.errors).toBeUndefined();
    return answer.data!;
  };
  const add = (collection: string, key: string, contentMd: string, meta: object[] = []) =>
    data('mutation($input: AddDocumentInput!) { addDocument(input: $input) { id } }', {
      input: { collection, key, lang: 'en', contentMd, meta },
    });

  it('add, read, change and delete a document', async () => {
    const added = await data(
      'mutation { addDocument(input: {collection: "Crud", key: "A", lang: "en", contentMd: "# Hi %%who%%", ttl: ' +
        '60, meta: [{key: "tags", values: ["x"]}, {key: "tags", values: ["y"]}]}) { id key lang meta contentMd ' +
        'addedAt updatedAt expiresAt } }',
    );
    expect(added['addDocument']).toEqual({
      id: 'crud|a|en',
      key: 'A',
      lang: 'en',
      meta: { tags: ['x', 'y'] },
      contentMd: '# Hi %%who%%',
      addedAt: NOW,
      updatedAt: NOW,
      expiresAt: NOW + 60,
    });

    const read =
      'query($env: JSONObject) { document(collection: "crud", key: "A", lang: "en", env: $env) { contentMd } }';
    expect(await data(read, { env: { who: 'you' } })).toEqual({ document: { contentMd: '# Hi you' } });
    expect(await data(read)).toEqual({ document: { contentMd: '# Hi %%who%%' } });
    expect(await data('{ document(collection: "crud", key: "A", lang: "en", env: {who: "me"}) { contentMd } }'))
      .toEqual({ document: { contentMd: '# Hi me' } });

    const updated = await data(
      'mutation { updateDocument(input: {collection: "crud", key: "A", lang: "en", meta: []}) { meta contentMd } }',
    );
    expect(updated['updateDocument']).toEqual({ meta: {}, contentMd: '# Hi %%who%%' });
    expect(await data('mutation { setTTL(collection: "crud", key: "A", lang: "en", ttl: 0) { expiresAt } }')).toEqual({
      setTTL: { expiresAt: null },
    });
    const remove = 'mutation { deleteDocument(collection: "crud", key: "A", lang: "en") }';
    expect(await data(remove)).toEqual({ deleteDocument: true });
    expect(await data(remove)).toEqual({ deleteDocument: false });
    expect(await data(read)).toEqual({ document: null });
  });

  it('add and delete many documents', async () => {
    const added = await data(
      'mutation($documents: [AddBatchDocumentInput!]!) { addBatch(collection: "many", documents: $documents) { ' +
        'added updated failed errors embeddingDropped } }',
      {
        documents: [{ key: 'a', lang: 'en', contentMd: '1', meta: [{ key: 'k', values: ['v'] }], saveRevision: false },
          { key: 'a', lang: 'en', contentMd: '2', saveRevision: null, meta: null }, {
          key: 'a|b',
          lang: 'en',
          contentMd: '3',
        }],
      },
    );
    expect(added['addBatch']).toEqual({
      added: 1,
      updated: 1,
      failed: 1,
      errors: [expect.stringMatching(/^2 a\|b: /)],
      embeddingDropped: null,
    });

    const ingested = await data(
      'mutation { ingestDocuments(collection: "many", documents: [{url: "https://a.example/Page.html", lang: ' +
        '"en", contentMd: "x", scrapedAt: 5, scraper: "s"}, {key: "P", lang: "en", contentMd: "y"}, {key: "p", ' +
        'lang: "en", contentMd: "z"}], options: {profile: "default", skipDuplicates: true}) { added updated skipped ' +
        'failed errors collection durationMs profile keyCollisions } }',
    );
    expect(ingested['ingestDocuments']).toEqual({
      added: 2,
      updated: 1,
      skipped: 0,
      failed: 0,
      errors: [],
      collection: 'many',
      durationMs: expect.any(Number),
      profile: 'default',
      keyCollisions: ['en: P, p'],
    });
    expect(await data('{ document(collection: "many", key: "page", lang: "en") { meta } }')).toEqual({
      document: { meta: { source_url: ['https://a.example/Page.html'], scraped_at: ['5'], scraper: ['s'] } },
    });
    const refused = await ask(
      'mutation { ingestDocuments(collection: "many", documents: [{key: "q", lang: "en", contentMd: ""}], ' +
        'options: {profile: "slow"}) { added } }',
    );
    expect(refused.errors![0]).toMatchObject({
      message: expect.stringContaining('options.profile must be one of'),
      extensions: { code: 'invalid_argument', status: 400 },
    });

    expect(await data('mutation { deleteCollection(collection: "many") }')).toEqual({ deleteCollection: 3 });
  });

  it('page through a search by metadata, with cursors that are true to the data', async () => {
    for (let i = 0; i < 5; i++)
      await add('paged', `k${i}`, `body ${i}`, [{ key: 'even', values: [String(i % 2 === 0)] }]);
    const query =
      'query($input: SearchInput!) { search(input: $input) { edges { cursor node { key contentMd } } totalCount ' +
      'pageInfo { hasNextPage hasPreviousPage startCursor endCursor totalCount } } }';
    const page = async (input: object) => {
      const { search } = await data(query, { input: { collection: 'paged', ...input } }) as {
        search: { edges: { cursor: string; node: { key: string } }[]; totalCount: number;
          pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean;
            hasPreviousPage: boolean } };
      };
      const { hasPreviousPage, hasNextPage, startCursor, endCursor } = search.pageInfo;
      expect([startCursor, endCursor]).toEqual([search.edges[0]?.cursor ?? null, search.edges.at(-1)?.cursor ?? null]);
      return [search.edges.map(({ node, cursor }) => `${node.key} ${Buffer.from(cursor, 'base64').toString()}`),
        search.totalCount, hasPreviousPage, hasNextPage];
    };
    expect(await page({ limit: 2 })).toEqual([['k0 o:0', 'k1 o:1'], 5, false, true]);
    expect(await page({ limit: 2, offset: 3 })).toEqual([['k3 o:3', 'k4 o:4'], 5, true, false]);
    expect(await page({ sort: 'key', filterMeta: [{ key: 'even', values: ['true'] }] })).toEqual([['k4 o:0', 'k2 o:1',
      'k0 o:2'], 3, false, false]);
    expect(await page({ limit: 0 })).toEqual([[], 5, false, true]);
    expect(await page({ offset: 9 })).toEqual([[], 5, true, false]);
    expect(await page({ filterMeta: [{ key: 'even', values: ['no'] }], offset: 3 })).toEqual([[], 0, false, false]);
  });

  it('filter, sort and page by cursor', async () => {
    for (let i = 0; i < 5; i++) await add('filtered', `k${i}`, `body ${i}`, [{ key: 'n', values: [String(i * 5)] }]);
    const query =
      'query($input: SearchInput!) { search(input: $input) { edges { node { key } } nextCursor pageInfo { ' +
      'hasNextPage } } }';
    const page = async (input: object) => {
      const { search } = await data(query, { input: { collection: 'filtered', ...input } }) as {
        search: { edges: { node: { key: string } }[]; nextCursor: string | null; pageInfo: { hasNextPage: boolean } };
      };
      return {
        keys: search.edges.map(({ node }) => node.key),
        next: search.nextCursor,
        more: search.pageInfo.hasNextPage,
      };
    };
    expect(await page({
      filter: { or: [{ field: 'n', gte: 5, lt: 10.5, eq: null }, { text: 'n = 20' }], and: null },
      sort: 'n:desc',
    })).toEqual({ keys: ['k4', 'k2', 'k1'], next: null, more: false });
    const first = await page({ sort: 'n:asc', limit: 3, cursor: '*', langs: ['en'] });
    expect(first).toEqual({ keys: ['k0', 'k1', 'k2'], next: expect.any(String), more: true });
    const second = await page({ sort: 'n:asc', limit: 3, cursor: first.next });
    expect(second.keys).toEqual(['k3', 'k4']);
    expect(await page({ sort: 'n:asc', limit: 3, cursor: second.next })).toEqual({ keys: [], next: null, more: false });
    expect(
      await data(
        '{ fts(input: {collection: "filtered", query: "body", sort: "n:desc", limit: 1, cursor: "*", filter: ' +
          '{field: "n", in: [5, "15"], ne: 1.5, exists: true}}) { nextCursor results { document { key } } } }',
      ),
    ).toEqual({ fts: { nextCursor: expect.any(String), results: [{ document: { key: 'k3' } }] } });
    const deep = (levels: number) =>
      Array.from({ length: levels }).reduce<object>((inner) => ({ not: inner }), { text: 'n = 1' });
    for (const levels of [30, 90, 500]) {
      const { errors } = await ask(query, { input: { collection: 'filtered', filter: deep(levels) } });
      expect(errors![0], String(levels)).toMatchObject({
        message: expect.stringContaining('nested deeper than') as string,
        extensions: { code: 'invalid_argument' },
      });
    }
  });

  it('find by words and by meaning', async () => {
    await add('found', 'a', 'red apples');
    await add('found', 'b', 'blue whales', [{ key: 'kind', values: ['fish'] }]);
    const { fts } = await data(
      '{ fts(input: {collection: "found", query: "whales", limit: 3}) { total results { score matchedTerms ' +
        'document { key contentMd } } } }',
    ) as { fts: object };
    expect(fts).toEqual({
      total: 1,
      results: [{
        score: expect.any(Number),
        matchedTerms: ['whales'],
        document: { key: 'b', contentMd: 'blue whales' },
      }],
    });

    await data('mutation { vectorReindex(collection: "found") { embedded skipped failed errors } }');
    const { reindexed } = await data(
      'mutation { reindexed: vectorReindex(collection: "found", force: true) { embedded skipped failed errors ' +
        'enabled provider model dimensions indexReady collections { collection totalDocuments embeddedDocuments } } ' +
        '}',
    ) as { reindexed: object };
    const state = { enabled: true, provider: 'builtin', model: 'static-en-256', dimensions: 256, indexReady: true };
    expect(reindexed).toEqual({
      embedded: 2,
      skipped: 0,
      failed: 0,
      errors: [],
      ...state,
      collections: expect.arrayContaining([{ collection: 'found', totalDocuments: 2, embeddedDocuments: 2 }]),
    });
    const { vectorStats } = await data(
      '{ vectorStats { enabled provider model dimensions indexReady encoder { model dimensions default } ' +
        'collections { collection totalDocuments embeddedDocuments encodedChunks } } }',
    ) as {
      vectorStats: { encoder: object | null; collections: { collection: string; encodedChunks: number | null }[] };
    };
    expect(vectorStats).toMatchObject(state);
    // The encoder needs an optional package.
    expect([null, { model: expect.any(String), dimensions: 384, default: false }]).toContainEqual(vectorStats.encoder);
    expect(
      vectorStats.collections.every(({ encodedChunks }) => (encodedChunks === null) === (vectorStats.encoder === null)),
    ).toBe(true);
    expect(vectorStats.collections.map(({ collection }) => collection)).toContain('found');

    const search = (input: string, fields: string) =>
      data(
        `{ vectorSearch(input: {collection: "found", ${input}}) { total model dimensions results { rank score ` +
          `document { ${fields} } } } }`,
      );
    expect(await search('query: "whales", topK: 1, threshold: 0', 'key contentMd')).toEqual({
      vectorSearch: {
        total: 1,
        model: 'static-en-256',
        dimensions: 256,
        results: [{ rank: 1, score: expect.any(Number), document: { key: 'b', contentMd: 'blue whales' } }],
      },
    });
    expect(await search('query: "animals of the sea", filterMeta: [{key: "kind", values: ["fish"]}]', 'key meta'))
      .toMatchObject({ vectorSearch: { results: [{ document: { key: 'b', meta: { kind: ['fish'] } } }] } });
    expect(await search('query: "whales", topK: 1, includeContent: false', 'contentMd')).toMatchObject({
      vectorSearch: { results: [{ document: { contentMd: '' } }] },
    });
    const vector = JSON.stringify(Array.from({ length: 256 }, (_, i) => (i === 5 ? 1 : 0.5)));
    expect(await search(`queryVector: ${vector}`, 'key')).toMatchObject({
      vectorSearch: { total: expect.any(Number), model: 'static-en-256', dimensions: 256 },
    });
  });

  it('follow a code graph, with arguments in one or one by one', async () => {
    await add('site', 'theme.css', '@import "base.css";\n.card { color: red }');
    await add('site', 'base.css', '.reset { margin: 0 }');
    const fields =
      '{ collection root direction depth truncated nodes { key docId lang language depth } edges { from to kind ' +
      'symbol direction fromLine toLine } }';
    const [whole, single] = await Promise.all([
      data(
        '{ codeGraph(input: {collection: "site", key: "theme.css", direction: "out", depth: 9, maxDegree: 5, lines: ' +
          `true}) ${fields} }`,
      ),
      data(`{ codeGraph(collection: "site", key: "theme.css", direction: "out", depth: 9, lines: true) ${fields} }`),
    ]);
    expect(whole).toEqual(single);
    expect(whole['codeGraph']).toMatchObject({
      root: 'theme.css',
      depth: 3,
      truncated: false,
      edges: [{ from: 'theme.css', to: 'base.css', kind: 'imports', direction: 'out', fromLine: 1 }],
    });
    const missing = await ask('{ codeGraph(depth: 1) { root } }');
    expect(missing.errors![0]).toMatchObject({
      message: 'missing fields: collection, key',
      path: ['codeGraph'],
      extensions: { code: 'missing_fields', status: 400 },
    });
    expect((await ask('{ codeGraph(collection: "site", key: "none") { root } }')).errors![0]!.extensions).toMatchObject(
      { code: 'not_found', status: 404 },
    );
  });

  it('set, read, apply and remove a schema', async () => {
    const rules = JSON.stringify({ required: ['author'] });
    expect(await data('mutation($schema: String!) { setSchema(input: {collection: "ruled", schema: $schema}) }', {
      schema: rules,
    })).toEqual({ setSchema: true });
    const shown = { collection: 'ruled', schema: rules, enabled: true };
    expect(
      await data(
        '{ schema(collection: "ruled") { collection schema enabled } schemas { collection schema enabled } none: ' +
          'schema(collection: "free") { schema } }',
      ),
    ).toEqual({ schema: shown, schemas: [shown], none: null });
    expect(await data('mutation { validateDocument(collection: "ruled", meta: []) { valid errors warnings } }'))
      .toEqual({ validateDocument: { valid: false, errors: ['required key "author" is missing'], warnings: [] } });
    const refused = await ask(
      'mutation { addDocument(input: {collection: "ruled", key: "a", lang: "en", contentMd: ""}) { id } }',
    );
    expect(refused).toMatchObject({
      data: null,
      errors: [{
        message: 'validation failed',
        path: ['addDocument'],
        extensions: { code: 'validation_failed', status: 400, errors: ['required key "author" is missing'] },
      }],
    });
    expect(
      (await ask('mutation { setSchema(input: {collection: "ruled", schema: "{"}) }')).errors![0]!.extensions.status,
    ).toBe(400);
    expect(await data('mutation { deleteSchema(collection: "ruled") }')).toEqual({ deleteSchema: true });
    expect(await data('{ schemas { collection } }')).toEqual({ schemas: [] });
  });

  it('report the numbers of the database, and the caller without authentication', async () => {
    await add('counted', 'a', 'a');
    const { stats, me } = await data(
      '{ stats { databasePath databaseSize mode collections { name documentCount revisionCount metaIndexCount ' +
        'indexBytes { fullText vectors columns geo spelling } } totalDocuments totalRevisions totalMetaIndices ' +
        'uptime } me { username admin createdAt disabled groups } }',
    ) as { stats: { collections: object[] }; me: object };
    expect(stats).toMatchObject({
      databasePath: server.database,
      databaseSize: expect.any(Number),
      mode: 'wr',
      uptime: expect.any(String),
    });
    // The document may have been embedded meanwhile.
    const vectors = expect.toBeOneOf([null, expect.any(Number)]) as number | null;
    expect(stats.collections).toContainEqual({
      name: 'counted',
      documentCount: 1,
      revisionCount: 1,
      metaIndexCount: 0,
      indexBytes: {
        fullText: expect.any(Number) as number,
        vectors,
        columns: expect.any(Number) as number,
        geo: expect.any(Number) as number,
        spelling: null,
      },
    });
    expect(me).toEqual({ username: 'anonymous', admin: true, createdAt: 0, disabled: false, groups: [] });
  });

  const others: readonly (readonly [operation: string, query: string])[] = [['importUrl',
    'mutation { importURL(collection: "c", url: "http://127.0.0.1:1/", lang: "en", meta: []) { id } }'], [
    'listWebhooks',
    '{ webhooks(collection: "c") { id } }',
  ], ['createWebhook',
    'mutation { registerWebhook(input: {url: "https://a.example/", events: ["doc.added"]}) { id } }'], [
    'listWebhookDeadLetters',
    '{ webhookDeadLetters(webhookId: "wh_1") { deliveryId } }',
  ], ['updateWebhook', 'mutation { updateWebhook(input: {id: "wh_1", paused: true}) { id } }'], ['redeliverWebhooks',
    'mutation { redeliverWebhooks(webhookId: "wh_1") }'], ['testWebhook',
    'mutation { testWebhook(id: "wh_000000000000000000000000") { ok } }'], ['deleteWebhook',
    'mutation { deleteWebhook(id: "wh_000000000000000000000000") }'], ['listUsers', '{ users { username } }'], [
    'listGroups',
    '{ groups { name } }',
  ], ['listPermissions', '{ userPermissions(username: "u") { username } }'], ['listGroupPermissions',
    '{ groupPermissions(groupName: "g") { groupName } }'], ['login',
    'mutation { login(username: "u", password: "p") { token } }'], ['registerUser',
    'mutation { register(username: "u", password: "p") { username } }'], ['createApiKey',
    'mutation { createAPIKey(input: {}) { key } }'], ['listRoles', '{ roles { name permissions { collection } } }'], [
    'explainAccess',
    '{ explainAccess(username: "u", operation: "addDocument", collection: "c") { admin decision { allowed } } }',
  ], ['refreshSession', 'mutation { refreshSession { token } }'], ['logout', 'mutation { logout }'], ['changePassword',
    'mutation { changePassword(oldPassword: "p", newPassword: "q") { token } }'], ['createPasswordReset',
    'mutation { createPasswordReset(username: "u") { token } }'], ['redeemPasswordReset',
    'mutation { redeemPasswordReset(username: "u", token: "t", newPassword: "q") }'], ['updateUser',
    'mutation { updateUser(input: {username: "u", disabled: true}) { disabled } }'], ['revokeApiKey',
    'mutation { revokeAPIKey(keyHash: "h") }'], ['setRole',
    'mutation { setRole(input: {name: "r", permissions: [{collection: "c", read: true}]}) { name } }'], ['deleteRole',
    'mutation { deleteRole(name: "r") }'], ['setUserRoles',
    'mutation { setUserRoles(username: "u", roles: []) { username } }'], ['setGroupRoles',
    'mutation { setGroupRoles(name: "g", roles: []) { name } }'], ['createGroup',
    'mutation { createGroup(input: {name: "g"}) { name } }'], ['updateGroup',
    'mutation { updateGroup(name: "g", description: "", members: []) { name } }'], ['deleteGroup',
    'mutation { deleteGroup(name: "g") }'], ['setPermission',
    'mutation { setPermission(input: {username: "u", collection: "c", read: true, write: false, admin: false}) }'], [
    'setGroupPermission',
    'mutation { setGroupPermission(input: {groupName: "g", collection: "c", read: true, write: false, admin: false}) }',
  ]];
  it.each(others)('that need %s say so while it is not built', async (operation, query) => {
    const answer = await ask(query);
    const code = answer.errors?.[0]?.extensions.code;
    if (!server.built.includes(operation))
      expect([code, answer.errors![0]!.extensions.status]).toEqual(['not_implemented', 501]);
    else expect(code).not.toBe('not_implemented');
    expect(server.errors).toEqual([]);
  });

  it('refuse text that is not valid Unicode where REST does, and repair it where REST does', async () => {
    const input = (contentMd: string) => ({ collection: 'text', key: 'a', lang: 'en', contentMd });
    const single = await ask('mutation($input: AddDocumentInput!) { addDocument(input: $input) { id } }', {
      input: input('a\ud800'),
    });
    expect(single.errors![0]).toMatchObject({
      message: 'contentMd must be valid Unicode text',
      extensions: { status: 400 },
    });
    const literal = await ask(
      'mutation { addBatch(collection: "text", documents: [{key: "b", lang: "en", contentMd: "a\\ud800"}]) { added } }',
    );
    expect(literal.errors![0]!.message).toMatch(/^Syntax Error: Invalid Unicode escape sequence/);
    await data(
      'mutation($documents: [AddBatchDocumentInput!]!) { addBatch(collection: "text", documents: $documents) { ' +
        'added } }',
      { documents: [{ key: 'b', lang: 'en', contentMd: 'a\ud800' }] },
    );
    expect(await data('{ document(collection: "text", key: "b", lang: "en") { contentMd } }')).toEqual({
      document: { contentMd: 'a\ufffd' },
    });
  });
});

describe('the settings of GraphQL', () => {
  it('the first requests are answered however many they are, though they wait for it to be loaded', async () => {
    const server = await startDocsServer();
    try {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => fetch(`${server.url}/graphql?query={a${i}:__typename}`)),
      );
      expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual(
        answers.map((_, i) => ({ data: { [`a${i}`]: 'Query' } })),
      );
    } finally {
      await server.stop();
    }
  });

  it.each(
    [[{ SVC_GRAPHQL_ENABLED: 'false' }, 404, 404, false], [{ SVC_GRAPHQL_PLAYGROUND: 'false' }, 200, 404, true], [{
      SVC_GRAPHQL_ENABLED: 'true',
    }, 200, 200, true]] as const,
  )('%j: /graphql returns %i, /playground %i', async (env, graphql, playground, enabled) => {
    const server = await startDocsServer({ env });
    try {
      expect((await fetch(`${server.url}/graphql?query={__typename}`)).status).toBe(graphql);
      expect((await fetch(`${server.url}/playground`)).status).toBe(playground);
      expect(await (await fetch(`${server.url}/v1/config`)).json()).toMatchObject({
        graphqlEnabled: enabled,
        protocols: { graphql: { enabled } },
      });
    } finally {
      await server.stop();
    }
  });

  it('a read-only server refuses mutations and answers queries', async () => {
    const server = await startDocsServer({ env: { SVC_API_MODE: 'read' } });
    const post = async (query: string) =>
      (await (await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query }),
      })).json()) as GraphqlAnswer;
    try {
      expect((await post('mutation { deleteCollection(collection: "c") }')).errors![0]).toMatchObject({
        message: 'read-only mode',
        extensions: { code: 'read_only', status: 403 },
      });
      expect(await post('{ stats { mode } }')).toEqual({ data: { stats: { mode: 'read' } } });
    } finally {
      await server.stop();
    }
  });
});
