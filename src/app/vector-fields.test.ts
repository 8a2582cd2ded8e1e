import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encode, GrpcClient } from '../testkit/grpc-client.ts';
import type { Answer } from '../testkit/http-client.ts';
import { add, ask, declare, type Found, http, keysOf, refusal, search, server, start, stop,
  vectorsOf } from '../testkit/vector-fields.ts';

const update = (collection: string, key: string, changes: object) =>
  ask('/v1/update', { collection, key, lang: 'en', ...changes }, 'PATCH');
const base64 = (...numbers: number[]): string => Buffer.from(new Float32Array(numbers).buffer).toString('base64');

/** Numbers from a fixed seed, between -1 and 1. */
function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return (state >>> 0) / 2 ** 31 - 1;
  };
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
const cosine = (a: readonly number[], b: readonly number[]): number => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

describe('fields of supplied vectors (decisions D-205 to D-209)', () => {
  beforeAll(() => start());
  afterAll(stop);

  it('are found by their own vectors, as by comparing all', async () => {
    const random = randomly(1);
    const vector = (): number[] => Array.from({ length: 8 }, random);
    await declare('brute', {
      title: { dimensions: 8 },
      image: { dimensions: 8, metric: 'dot_product' },
      tokens: { kind: 'multi', dimensions: 8 },
    });
    const documents = Array.from({ length: 60 }, (_, i) => ({
      key: `k${i}`,
      title: vector(),
      image: vector(),
      tokens: Array.from({ length: 1 + i % 5 }, vector),
    }));
    await ask('/v1/add-batch', {
      collection: 'brute',
      documents: documents.map(({ key, title, image, tokens }) => ({
        key,
        lang: 'en',
        contentMd: key,
        vectors: { title: base64(...title), image, tokens },
      })),
    });
    const best = (score: (document: (typeof documents)[number]) => number) =>
      documents.map((document) => ({ key: document.key, score: score(document) })).sort((a, b) => b.score - a.score)
        .slice(0, 7);
    const maxSim = (queries: readonly number[][], tokens: readonly number[][]): number =>
      queries.reduce((sum, query) => sum + Math.max(...tokens.map((token) => cosine(query, token))), 0);
    for (let round = 0; round < 3; round++) {
      const [query, other, queries] = [vector(), vector(), [vector(), vector(), vector()]];
      for (
        const [request, expected] of [[{ vectorField: 'title', queryVector: query }, best(({ title }) =>
          cosine(query, title)
        )], [{ vectorField: 'image', queryVector: base64(...query) }, best(({ image }) => dot(query, image))], [{
          vectorField: 'tokens',
          queryVectors: queries,
        }, best(({ tokens }) => maxSim(queries, tokens))], [{
          vectorFields: [{ field: 'title', vector: query, weight: 0.5 }, { field: 'image', vector: other }, {
            field: 'tokens',
            vectors: queries,
            weight: 2,
          }],
        }, best(({ title, image, tokens }) =>
          0.5 * cosine(query, title) + dot(other, image) + 2 * maxSim(queries, tokens)
        )]] as const
      ) {
        const { results } = await search('brute', { ...request, topK: 7 });
        expect(results.map(({ document: { key } }) =>
          key
        )).toEqual(expected.map(({ key }) => key));
        for (const [i, { score }] of results.entries()) expect(score).toBeCloseTo(expected[i]!.score, 4);
      }
    }
  });

  it('are replaced as a whole by an add, and one by one by an update', async () => {
    await declare('writes', { a: { dimensions: 2 }, b: { dimensions: 2 } });
    await add('writes', 'k', { a: [1, 0], b: [0, 1] });
    expect(await vectorsOf('writes', 'k')).toEqual({ a: base64(1, 0), b: base64(0, 1) });
    await update('writes', 'k', { vectors: { a: [1, 1] } });
    expect(await vectorsOf('writes', 'k')).toEqual({ a: base64(1, 1), b: base64(0, 1) });
    await update('writes', 'k', { vectors: { b: null } });
    expect(await vectorsOf('writes', 'k')).toEqual({ a: base64(1, 1) });
    expect(keysOf(await search('writes', { vectorField: 'b', queryVector: [0, 1] }))).toEqual([]);
    await update('writes', 'k', { contentMd: 'another body' });
    expect(await vectorsOf('writes', 'k')).toEqual({ a: base64(1, 1) });
    await add('writes', 'k');
    expect(await vectorsOf('writes', 'k')).toBeUndefined();
    expect(keysOf(await search('writes', { vectorField: 'a', queryVector: [1, 1] }))).toEqual([]);
    await add('writes', 'k', { a: [1, 0] });
    await ask('/v1/delete', { collection: 'writes', key: 'k', lang: 'en' });
    expect(keysOf(await search('writes', { vectorField: 'a', queryVector: [1, 1] }))).toEqual([]);
  });

  it('are part of the checksum that a write may expect', async () => {
    await declare('expected', { a: { dimensions: 2 } });
    const checksums = [(await add('expected', 'k', { a: [1, 0] }))['checksum']];
    for (const a of [[0, 1], [1, 1]]) checksums.push((await update('expected', 'k', { vectors: { a } }))['checksum']);
    expect(new Set(checksums).size).toBe(3);
    const write = (ifChecksum: unknown) =>
      http.post('/v1/update', { collection: 'expected', key: 'k', lang: 'en', vectors: { a: null }, ifChecksum },
        'PATCH');
    for (const former of checksums.slice(0, 2)) expect((await write(former)).status).toBe(412);
    expect((await write(checksums[2])).status).toBe(200);
  });

  it('belong to the versions of a document', async () => {
    await declare('versions', { a: { dimensions: 2 } });
    await add('versions', 'k', { a: [1, 0] });
    await add('versions', 'k', { a: [0, 1] });
    await add('versions', 'k');
    const restore = (revision: number) =>
      ask('/v1/revisions/restore', { collection: 'versions', key: 'k', lang: 'en', revision });
    await restore(1);
    expect(await vectorsOf('versions', 'k')).toEqual({ a: base64(1, 0) });
    expect((await search('versions', { vectorField: 'a', queryVector: [1, 0] })).results[0]!.score).toBe(1);
    await restore(2);
    expect(await vectorsOf('versions', 'k')).toEqual({ a: base64(0, 1) });
    await ask('/v1/delete', { collection: 'versions', key: 'k', lang: 'en' });
    await restore(2);
    expect(await vectorsOf('versions', 'k')).toEqual({ a: base64(0, 1) });
    await restore(3);
    expect(await vectorsOf('versions', 'k')).toBeUndefined();
    await ask('/v1/delete', { collection: 'versions', key: 'k', lang: 'en' });
    await add('versions', 'k', { a: [1, 1] });
    await restore(1);
    expect(keysOf(await search('versions', { vectorField: 'a', queryVector: [1, 0], threshold: 0.99 }))).toEqual(['k']);
  });

  it('quote passages, until the body is another one', async () => {
    await declare('passages', { p: { dimensions: 2 } });
    await add('passages', 'k', { p: [{ vector: [1, 0], start: 1, end: 2 }, { vector: [0, 1], start: 4, end: 4 }] },
      'first\nsecond\n\nlast');
    const query = { vectorField: 'p', queryVector: [0, 1], retrievalMode: 'chunk', topK: 1 };
    expect((await search('passages', query)).results).toMatchObject([{ chunkText: 'last', startLine: 4, endLine: 4 }]);
    expect((await search('passages', { ...query, queryVector: [1, 0] })).results).toMatchObject([{
      chunkText: 'first\nsecond',
    }]);
    expect((await search('passages', { ...query, retrievalMode: 'window' })).results).toMatchObject([{
      chunkText: 'first\nsecond\n\nlast',
    }]);
    expect(await vectorsOf('passages', 'k')).toEqual({
      p: [{ vector: base64(1, 0), start: 1, end: 2 }, { vector: base64(0, 1), start: 4, end: 4 }],
    });
    await update('passages', 'k', { contentMd: 'nothing of it' });
    expect((await search('passages', query)).results).toEqual([]);
    expect(keysOf(await search('passages', { ...query, retrievalMode: 'parent' }))).toEqual(['k']);
  });

  it('are found however unlike they are, unless a threshold says otherwise', async () => {
    await declare('unlike', { a: { dimensions: 2, metric: 'dot_product' } });
    for (const [key, a] of [['far', [-2, 0]], ['near', [3, 0]], ['none', [0, 1]]] as const)
      await add('unlike', key, { a });
    const find = (threshold?: number) =>
      search('unlike', { vectorField: 'a', queryVector: [1, 0], ...(threshold !== undefined && { threshold }) });
    expect((await find()).results.map(({ score }) => score)).toEqual([3, 0, -2]);
    expect(keysOf(await find(2))).toEqual(['near']);
  });

  it('are searched with filters, boosts, pages, facets and for diversity', async () => {
    await declare('options', { a: { dimensions: 2 } });
    for (const [i, kind] of ['x', 'y', 'x', 'y'].entries()) {
      await ask('/v1/add', {
        collection: 'options',
        key: `k${i}`,
        lang: 'en',
        contentMd: '',
        meta: { kind: [kind] },
        vectors: { a: [1, i / 10] },
      });
    }
    const query = { vectorField: 'a', queryVector: [1, 0] };
    expect(keysOf(await search('options', { ...query, filterMeta: { kind: ['y'] } }))).toEqual(['k1', 'k3']);
    expect(keysOf(await search('options', { ...query, boost: { 'kind:y': 3 } }))).toEqual(['k1', 'k3', 'k0', 'k2']);
    expect(keysOf(await search('options', { ...query, limit: 2, offset: 1 }))).toEqual(['k1', 'k2']);
    expect(keysOf(await search('options', { ...query, mmr: true, mmrLambda: 0.1, topK: 2 }))).toEqual(['k0', 'k3']);
    expect(await search('options', { ...query, facetBy: ['kind'], fields: ['kind'] })).toMatchObject({
      facets: { kind: [{ value: 'x', count: 2 }, { value: 'y', count: 2 }] },
    });
    const combined = { vectorFields: [{ field: 'a', vector: [1, 0] }], filterMeta: { kind: ['x'] } };
    expect(keysOf(await search('options', combined))).toEqual(['k0', 'k2']);
    expect(keysOf(await ask<Found>('/v1/similar', { collection: 'options', key: 'k0', vectorField: 'a' }))).toEqual([
      'k1',
      'k2',
      'k3',
    ]);
  });

  it('are fused with words without an embedding provider', async () => {
    await declare('hybrid', { a: { dimensions: 2 }, t: { kind: 'multi', dimensions: 2 } });
    await add('hybrid', 'words', { a: [0, 1], t: [[0, 1]] }, 'red apple');
    await add('hybrid', 'vector', { a: [1, 0], t: [[1, 0]] }, 'green pear');
    const find = (more: object) =>
      ask<Found & { warnings?: string[] }>('/v1/hybrid-search', { collection: 'hybrid', query: 'apple', ...more });
    const found = await find({ vectorField: 'a', queryVector: [1, 0], alpha: 0.9 });
    expect([keysOf(found), found.warnings]).toEqual([['vector', 'words'], undefined]);
    expect(keysOf(await find({ vectorField: 't', queryVectors: [[1, 0]], alpha: 0.1 }))).toEqual(['words', 'vector']);
    expect(await refusal('/v1/hybrid-search', { collection: 'hybrid', query: 'x', queryVector: [1, 0] })).toContain(
      'queryVector needs vectorField',
    );
  });

  it('keep their kind, dimensions and metric while documents use them', async () => {
    await declare('fixed', { a: { dimensions: 2 }, b: { dimensions: 2 } });
    await add('fixed', 'k', { a: [1, 0] });
    for (const change of [{ dimensions: 3 }, { dimensions: 2, metric: 'euclidean' }, {
      dimensions: 2,
      kind: 'multi',
    }]) {
      const body = { collection: 'fixed', vectors: { a: change } };
      expect(await refusal('/v1/collection-config', body, 'PUT')).toContain('vectors.a: documents have vectors');
    }
    await declare('fixed', { a: { dimensions: 2, quantization: 'int8' }, b: { dimensions: 5 } });
    await declare('fixed', { a: null });
    expect(await vectorsOf('fixed', 'k')).toBeUndefined();
    expect(await refusal('/v1/vector-search', { collection: 'fixed', vectorField: 'a', queryVector: [1, 0] }))
      .toContain('must be a declared vector field');
    await declare('fixed', { a: { dimensions: 2 } });
    expect(await vectorsOf('fixed', 'k')).toEqual({ a: base64(1, 0) });
    await expect.poll(async () => keysOf(await search('fixed', { vectorField: 'a', queryVector: [1, 0] }))).toEqual([
      'k',
    ]);
    for (const name of ['A', '1a', 'a-b', 'x'.repeat(65)]) {
      expect(
        await refusal('/v1/collection-config', { collection: 'fixed', vectors: { [name]: { dimensions: 2 } } }, 'PUT'),
      ).toContain('the name of a field');
    }
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`f${i}`, { dimensions: 1 }]));
    expect(await refusal('/v1/collection-config', { collection: 'many', vectors: many }, 'PUT')).toContain(
      'at most 16',
    );
  });

  it.each([
    [{ a: [1, 2, 3] }, 'vectors.a must have 2 numbers, got 3'],
    [{ a: base64(1) }, 'vectors.a must have 2 numbers, got 1'],
    [{ a: base64(1, Number.NaN) }, 'vectors.a[1] must be a finite number'],
    [{ a: base64(Infinity, 1) }, 'vectors.a[0] must be a finite number'],
    [{ a: [1e39, 1] }, 'vectors.a[0] must be a finite number'],
    [{ a: [0, 0] }, 'vectors.a must not be all zeros'],
    [{ a: 'no base64!' }, 'vectors.a must be base64'],
    [{ a: ['1', 2] }, 'vectors.a[0] must be a number'],
    [{ a: 7 }, 'vectors.a must be an array of numbers'],
    [{ c: [1, 2] }, 'vectors.c is no vector field of the collection, which declares a, t'],
    [{ __proto: [1, 2] }, 'vectors.__proto is no vector field'],
    [{ a: [{ vector: [1, 2], start: 2, end: 1 }] }, 'vectors.a[0].end must not be before start'],
    [{ a: [{ vector: [1, 2], start: 1, end: 3 }] }, 'vectors.a[0].end must be a line of contentMd, 1 to 2, got 3'],
    [{ a: [{ start: 1, end: 1 }] }, 'vectors.a[0].vector is missing'],
    [{ t: [1, 2] }, 'vectors.t[0] must be an array of numbers'],
    [{ t: [] }, 'vectors.t must have at least one vector'],
    [{ t: Array.from({ length: 4097 }, () => base64(1, 1)) }, 'vectors.t must have at most 4096 vectors, got 4097'],
  ])('refuse vectors (case %#)', async (vectors, message) => {
    await declare('bad', { a: { dimensions: 2 }, t: { kind: 'multi', dimensions: 2 } });
    const document = { key: 'k', lang: 'en', contentMd: 'one\ntwo', vectors };
    expect(await refusal('/v1/add', { collection: 'bad', ...document })).toContain(message);
    for (const path of ['/v1/add-batch', '/v1/ingest']) {
      expect(await ask(path, { collection: 'bad', documents: [{ ...document, vectors: {} }, document] })).toMatchObject(
        {
          failed: 1,
          errors: [expect.stringContaining(`1 k: ${message}`)],
        },
      );
    }
    expect(await refusal('/v1/update', { collection: 'bad', key: 'k', lang: 'en', vectors }, 'PATCH')).toContain(
      message,
    );
  });

  it('say what a query lacks', async () => {
    await declare('queries', { a: { dimensions: 2 }, t: { kind: 'multi', dimensions: 2 } });
    await add('queries', 'k', { a: [1, 0] });
    for (
      const [query, message] of [[{ vectorField: 'x', queryVector: [1, 2] }, 'vectorField must be a declared'], [{
        vectorField: 'a',
        queryVector: [1],
      }, 'queryVector must have 2 numbers'], [{ vectorField: 'a', queryVector: [0, 0] },
        'queryVector must not be all zeros'], [{ vectorField: 'a', queryVector: base64(1, Number.NaN) },
        'queryVector must have finite numbers'], [{ vectorField: 'a', queryVectors: [[1, 0]] }, 'needs queryVector'], [{
        vectorField: 't',
        queryVector: [1, 0],
      }, 'needs queryVectors'], [{ vectorField: 'a', query: 'text' }, 'needs queryVector'], [{ queryVectors: [[1, 0]] },
        'needs vectorField'], [{ queryVector: [1, 0] }, 'set vectorField to one of a, t'], [{
        vectorFields: [{ field: 'a', vector: [1, 0] }, { field: 'a', vector: [1, 0] }],
      }, 'names a twice'], [{ vectorField: 't', queryVectors: [[1, 0]], retrievalMode: 'chunk' },
        'retrievalMode must be parent'], [{ vectorField: 't', queryVectors: [[1, 0]], mmr: true },
        'mmr needs one field']] as const
    ) expect(await refusal('/v1/vector-search', { collection: 'queries', ...query })).toContain(message);
  });

  it('are counted by field', async () => {
    await declare('stats', { a: { dimensions: 2 }, t: { kind: 'multi', dimensions: 2 } });
    await add('stats', 'k', { a: [1, 0], t: [[1, 2], [3, 4]] });
    await add('stats', 'l', { t: [[5, 6]] });
    expect((await http.get('/v1/vector-stats')).json()).toMatchObject({
      collections: {
        stats: {
          fields: {
            a: { documents: 1, vectors: 1, bytes: expect.any(Number) as number },
            t: { documents: 2, vectors: 3, bytes: expect.any(Number) as number },
          },
        },
      },
    });
  });

  it('count for duplicates', async () => {
    await declare('duplicates', { a: { dimensions: 2 } });
    const ingest = (vectors?: object) =>
      ask('/v1/ingest', {
        collection: 'duplicates',
        documents: [{ key: 'k', lang: 'en', contentMd: 'x', vectors }],
        options: { skipDuplicates: true },
      });
    expect(await ingest({ a: [1, 0] })).toMatchObject({ added: 1 });
    expect(await ingest({ a: base64(1, 0) })).toMatchObject({ skipped: 1 });
    expect(await ingest({ a: [0, 1] })).toMatchObject({ updated: 1 });
    expect(await ingest()).toMatchObject({ updated: 1 });
    expect(await ingest()).toMatchObject({ skipped: 1 });
  });

  it('are exported, and imported again', async () => {
    await declare('from', { a: { dimensions: 2 }, t: { kind: 'multi', dimensions: 2 } });
    await declare('to', { a: { dimensions: 2 }, t: { kind: 'multi', dimensions: 2 } });
    const vectors = { a: [{ vector: [1, 0], start: 1, end: 1 }], t: [[1, 2], [3, 4]] };
    await add('from', 'k', vectors);
    await add('from', 'none');
    const { text } = await http.post('/v1/export', { collection: 'from', format: 'ndjson', includeVectors: true });
    const imported: Answer = await http.send('POST', '/v1/import?collection=to', {
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: text,
    });
    expect(imported.text).toContain('"added":2');
    expect(await vectorsOf('to', 'k')).toEqual(await vectorsOf('from', 'k'));
    expect(await vectorsOf('to', 'none')).toBeUndefined();
    expect(keysOf(await search('to', { vectorField: 't', queryVectors: [[1, 2]] }))).toEqual(['k']);
    const without = await http.post('/v1/export', { collection: 'from', format: 'ndjson' });
    expect(without.text).not.toContain('vectors');
  });

  it('are written and read over gRPC and GraphQL', async () => {
    await declare('protocols', { a: { dimensions: 2 } });
    const grpc = new GrpcClient(server.listeners.grpc!.url);
    await grpc.exchange('Add',
      encode('Add', { collection: 'protocols', key: 'g', lang: 'en', contentMd: 'x', vectors: { a: [1, 0] } }));
    grpc.close();
    expect(await vectorsOf('protocols', 'g')).toEqual({ a: base64(1, 0) });
    const { data } = await ask<{ data: object }>('/graphql', {
      query:
        `mutation { addDocument(input: {collection: "protocols", key: "q", lang: "en", contentMd: "x", vectors: {a: [0, 1]}}) { key } }`,
    });
    expect(data).toEqual({ addDocument: { key: 'q' } });
    expect(await ask('/graphql', {
      query:
        `{ vectorSearch(input: {collection: "protocols", vectorField: "a", queryVector: [0, 1], topK: 1}) { results { document { key vectors } } }
        document(collection: "protocols", key: "g", lang: "en") { vectors } }`,
    })).toEqual({
      data: {
        vectorSearch: { results: [{ document: { key: 'q', vectors: { a: base64(0, 1) } } }] },
        document: { vectors: { a: base64(1, 0) } },
      },
    });
  });
});

describe('supplied vectors in extreme mode', () => {
  beforeAll(() => start({ SVC_EXTREME: 'true' }));
  afterAll(stop);

  it('belong to revisions that are stored as deltas', async () => {
    await declare('deltas', { a: { dimensions: 2 } });
    const text = Array.from({ length: 200 }, (_, i) => `Sentence ${i} of a body that changes little.`).join('\n');
    await add('deltas', 'k', { a: [1, 0] }, text);
    await add('deltas', 'k', { a: [0, 1] }, `${text}.`);
    await add('deltas', 'k', undefined, `${text}..`);
    const restore = (revision: number) =>
      ask('/v1/revisions/restore', { collection: 'deltas', key: 'k', lang: 'en', revision });
    for (const [revision, vector] of [[1, base64(1, 0)], [2, base64(0, 1)]] as const) {
      await restore(revision);
      expect(await vectorsOf('deltas', 'k')).toEqual({ a: vector });
    }
    await restore(3);
    expect(await vectorsOf('deltas', 'k')).toBeUndefined();
  });
});

describe('supplied vectors on disk', () => {
  let folder: string;
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each([[{}], [{ encrypted: true }]])('survive a restart, with the configuration %j', async (config) => {
    folder = await mkdtemp(join(tmpdir(), 'quire-fields-'));
    const env = {
      SVC_PATH: join(folder, 'quire.db'),
      SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    await start(env);
    await declare('c', { a: { dimensions: 2 }, t: { kind: 'multi', dimensions: 2 } }, config);
    await add('c', 'k', { a: [1, 0], t: [[1, 2], [3, 4]] });
    await add('c', 'k', { a: [0, 1], t: [[1, 2], [3, 4]] });
    await add('c', 'other', { a: [1, 1] });
    const stored = await server.sql.transaction((tx) =>
      tx.all<{ v: Uint8Array }>(
        'SELECT vectors AS v FROM documents UNION ALL SELECT vectors FROM revisions WHERE vectors IS NOT NULL',
      )
    );
    expect(stored.length).toBe(3);
    for (const { v } of stored)
      expect(Buffer.from(v).toString('latin1').startsWith('SVCENC')).toBe('encrypted' in config);
    await stop();
    // Another key: what was encrypted with the former one is encrypted again.
    const keys = {
      SVC_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
      SVC_ENCRYPTION_KEY_ID: '2',
      SVC_ENCRYPTION_PREVIOUS_KEYS: `1:${env.SVC_ENCRYPTION_KEY}`,
    };
    await start({ ...env, ...keys });
    const query = { vectorField: 'a', queryVector: [0, 1] };
    await expect.poll(async () => (await http.get('/ready')).status).toBe(200);
    await ask('/v1/encryption/rotate', {});
    await expect.poll(async () =>
      (await http.get('/v1/encryption/status')).json<{ collections: { withLegacy: number }[] }>().collections.map((
        { withLegacy },
      ) => withLegacy)
    ).toEqual([0]);
    expect(keysOf(await search('c', query))).toEqual(['k', 'other']);
    expect(keysOf(await search('c', { vectorField: 't', queryVectors: [[1, 2]] }))).toEqual(['k']);
    await ask('/v1/revisions/restore', { collection: 'c', key: 'k', lang: 'en', revision: 1 });
    expect(await vectorsOf('c', 'k')).toMatchObject({ a: base64(1, 0) });
    await stop();
  });
});
