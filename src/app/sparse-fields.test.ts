import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encode, GrpcClient } from '../testkit/grpc-client.ts';
import { add, ask, declare, type Found, http, keysOf, refusal, search, server, start, stop,
  vectorsOf } from '../testkit/vector-fields.ts';

interface Sparse {
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

const sparse = (values: Readonly<Record<number, number>>): Sparse => ({
  indices: Object.keys(values).map(Number),
  values: Object.values(values),
});
const scoresOf = ({ results }: Found): unknown[] => results.map(({ document: { key }, score }) => [key, score]);

describe('fields of sparse vectors (decision D-210)', () => {
  beforeAll(() => start());
  afterAll(stop);

  it('are found by the inner product, in the order of products', async () => {
    await declare('brute', { s: { kind: 'sparse' } });
    const documents = Array.from({ length: 80 }, (_, i) => ({
      key: `k${i}`,
      vector: sparse(
        Object.fromEntries(Array.from({ length: 1 + (i % 9) }, (_, j) => [(i * 31 + j * 17) % 40, ((i + j) % 5) + 1])),
      ),
    }));
    await ask('/v1/add-batch', {
      collection: 'brute',
      documents: documents.map(({ key, vector }) => ({ key, lang: 'en', contentMd: key, vectors: { s: vector } })),
    });
    for (const query of [sparse({ 3: 2, 17: 1, 25: 4 }), sparse({ 39: 1 }), {
      indices: [30, 4, 7],
      values: [1, 1, 3],
    }]) {
      const scored = documents.map(({ key, vector }) => ({
        key,
        shared: query.indices.filter((index) => vector.indices.includes(index)).length,
        score: query.indices.reduce(
          (sum, index, i) => sum + query.values[i]! * (vector.values[vector.indices.indexOf(index)] ?? 0),
          0,
        ),
      })).filter(({ shared }) => shared > 0).sort((a, b) => b.score - a.score);
      const found = await search('brute', { vectorField: 's', querySparse: query, topK: 100 });
      expect(found.results.map(({ score }) => score)).toEqual(scored.map(({ score }) => score));
      expect(keysOf(found).sort()).toEqual(scored.map(({ key }) => key).sort());
      expect(found.algorithm).toBe('flat');
    }
  });

  it('are replaced, removed, restored, and shown in the order of dimensions', async () => {
    await declare('writes', { s: { kind: 'sparse' }, a: { dimensions: 2 } });
    await add('writes', 'k', { s: { indices: [4_294_967_295, 5, 9], values: [1, 0.5, 0] }, a: [1, 0] });
    expect(await vectorsOf('writes', 'k')).toMatchObject({ s: { indices: [5, 4_294_967_295], values: [0.5, 1] } });
    const query = { vectorField: 's', querySparse: sparse({ 5: 2 }) };
    expect(scoresOf(await search('writes', query))).toEqual([['k', 1]]);
    await ask('/v1/update', { collection: 'writes', key: 'k', lang: 'en', vectors: { s: sparse({ 6: 1 }) } }, 'PATCH');
    expect(scoresOf(await search('writes', query))).toEqual([]);
    await ask('/v1/update', { collection: 'writes', key: 'k', lang: 'en', vectors: { s: null } }, 'PATCH');
    expect(Object.keys(await vectorsOf('writes', 'k') as object)).toEqual(['a']);
    await ask('/v1/revisions/restore', { collection: 'writes', key: 'k', lang: 'en', revision: 1 });
    expect(scoresOf(await search('writes', query))).toEqual([['k', 1]]);
    await ask('/v1/delete', { collection: 'writes', key: 'k', lang: 'en' });
    expect(scoresOf(await search('writes', query))).toEqual([]);
  });

  it('are searched with filters, pages and thresholds, beside other fields, and with words', async () => {
    await declare('options', { s: { kind: 'sparse' }, a: { dimensions: 2 } });
    for (const [i, kind] of ['x', 'y', 'x', 'y'].entries())
      await ask('/v1/add', {
        collection: 'options',
        key: `k${i}`,
        lang: 'en',
        contentMd: i === 0 ? 'red apple' : 'pear',
        meta: { kind: [kind] },
        vectors: { s: sparse({ 1: (i + 1) / 10, [i + 10]: 1 }), ...(i === 3 && { a: [1, 0] }) },
      });
    const query = { vectorField: 's', querySparse: sparse({ 1: 1 }) };
    expect(keysOf(await search('options', query))).toEqual(['k3', 'k2', 'k1', 'k0']);
    expect(keysOf(await search('options', { ...query, filter: 'kind = x' }))).toEqual(['k2', 'k0']);
    expect(keysOf(await search('options', { ...query, limit: 2, offset: 1 }))).toEqual(['k2', 'k1']);
    expect(keysOf(await search('options', { ...query, threshold: 0.25 }))).toEqual(['k3', 'k2']);
    expect(keysOf(await search('options', { ...query, sort: 'key:asc' }))).toEqual(['k0', 'k1', 'k2', 'k3']);
    expect(keysOf(await search('options', { ...query, retrievalMode: 'chunk' }))).toEqual(['k3', 'k2', 'k1', 'k0']);
    const both = [{ field: 's', sparse: sparse({ 10: 5 }), weight: 2 }, { field: 'a', vector: [1, 0] }];
    expect(scoresOf(await search('options', { vectorFields: both, topK: 2 }))).toEqual([['k0', 10], ['k3', 1]]);
    const hybrid = await ask<Found>('/v1/hybrid-search', {
      collection: 'options',
      query: 'apple',
      ...query,
      alpha: 0.9,
    });
    expect(keysOf(hybrid)).toContain('k0');
    expect(keysOf(hybrid)[0]).toBe('k3');
  });

  it.each([
    [[1, 2], 'vectors.s must be an object with indices and values'],
    [{ indices: [1] }, 'vectors.s.values must be an array of numbers'],
    [{ indices: [1], values: ['1'] }, 'vectors.s.values[0] must be a number'],
    [{ indices: [1, 2], values: [1] }, 'vectors.s must have one value for each index, got 2 and 1'],
    [{ indices: [1, 1], values: [1, 2] }, 'vectors.s must have each index once, got 1 twice'],
    [{ indices: [-1], values: [1] }, 'vectors.s must have indices from 0 to 4294967295, got -1'],
    [{ indices: [1], values: [1e39] }, 'vectors.s must have values from -1e15 to 1e15'],
    [{ indices: [1], values: [0] }, 'vectors.s must have a value that is not 0'],
    [{ indices: [1], values: [1], weights: [1] }, 'vectors.s."weights" is unknown'],
  ])('refuse vectors (case %#)', async (s, message) => {
    await declare('bad', { s: { kind: 'sparse' } });
    const document = { key: 'k', lang: 'en', contentMd: 'x', vectors: { s } };
    expect(await refusal('/v1/add', { collection: 'bad', ...document })).toContain(message);
    expect(await ask('/v1/add-batch', { collection: 'bad', documents: [{ ...document, vectors: {} }, document] }))
      .toMatchObject({ failed: 1, errors: [expect.stringContaining(`1 k: ${message}`)] });
  });

  it('say what a declaration or a query lacks', async () => {
    for (
      const [s, message] of [[{ kind: 'sparse', dimensions: 4 }, 'vectors.s.dimensions must not be set'], [{
        kind: 'sparse',
        metric: 'euclidean',
      }, 'vectors.s.metric must be dot_product'], [{ kind: 'sparse', quantization: 'int8' },
        'vectors.s.quantization must be float32'], [{ kind: 'dense' }, 'vectors.s.dimensions is missing']] as const
    )
      expect(await refusal('/v1/collection-config', { collection: 'queries', vectors: { s } }, 'PUT')).toContain(
        message,
      );
    await declare('queries', { s: { kind: 'sparse' }, a: { dimensions: 2 } });
    const config = await http.get('/v1/collection-config?collection=queries');
    expect(config.json()).toMatchObject({
      config: { vectors: { s: { kind: 'sparse', dimensions: 0, metric: 'dot_product' } } },
    });
    const querySparse = sparse({ 1: 1 });
    for (
      const [query, message] of [[{ vectorField: 's', queryVector: [1] }, 'needs querySparse'], [{
        vectorField: 'a',
        querySparse,
      }, 'needs queryVector'], [{ vectorField: 'a', queryVector: [1, 0], querySparse },
        'querySparse must not come with a'], [{ querySparse }, 'querySparse needs vectorField'], [{
        vectorField: 's',
        querySparse: { indices: [1, 1], values: [1, 1] },
      }, 'querySparse must have each index once'], [{ vectorField: 's', querySparse, mmr: true },
        'mmr needs one field of the kind dense']] as const
    ) expect(await refusal('/v1/vector-search', { collection: 'queries', ...query })).toContain(message);
    expect(await refusal('/v1/similar', { collection: 'queries', key: 'k', vectorField: 's' })).toContain(
      'of the kind dense',
    );
  });

  it('are written and searched over gRPC and GraphQL', async () => {
    await declare('protocols', { s: { kind: 'sparse' } });
    const grpc = new GrpcClient(server.listeners.grpc!.url);
    const vectors = { s: { indices: [7, 3_000_000_000], values: [1, 2] } };
    await grpc.exchange('Add',
      encode('Add', { collection: 'protocols', key: 'g', lang: 'en', contentMd: 'x', vectors }));
    const query = { indices: [3_000_000_000], values: [0.5] };
    const { response } = await grpc.exchange('VectorSearch',
      encode('VectorSearch', { collection: 'protocols', vectorField: 's', querySparse: query }));
    grpc.close();
    expect(response).toMatchObject({ results: [{ document: { key: 'g' }, score: 1 }] });
    expect(await ask('/graphql', {
      query: `{ vectorSearch(input: {collection: "protocols", vectorField: "s", topK: 1,
        querySparse: {indices: [7, 3000000000], values: [1, 1]}}) { results { score document { key vectors } } } }`,
    })).toEqual({ data: { vectorSearch: { results: [{ score: 3, document: { key: 'g', vectors } }] } } });
  });
});

describe('sparse vectors on disk', () => {
  let folder: string;
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each([[{}], [{ encrypted: true }]])('survive a restart, with the configuration %j', async (config) => {
    folder = await mkdtemp(join(tmpdir(), 'quire-sparse-'));
    const env = {
      SVC_PATH: join(folder, 'quire.db'),
      SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    await start(env);
    await declare('c', { s: { kind: 'sparse' }, a: { dimensions: 2 } }, config);
    await add('c', 'k', { s: sparse({ 1: 1, 2: 2 }), a: [1, 0] });
    await add('c', 'other', { s: sparse({ 2: 1 }) });
    await stop();
    await start(env);
    await expect.poll(async () => (await http.get('/ready')).status).toBe(200);
    const query = { vectorField: 's', querySparse: sparse({ 2: 3 }) };
    expect(scoresOf(await search('c', query))).toEqual([['k', 6], ['other', 3]]);
    await add('c', 'k', { a: [1, 0] });
    expect(scoresOf(await search('c', query))).toEqual([['other', 3]]);
    await stop();
  });
});
