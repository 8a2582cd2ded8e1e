import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmbeddingProvider, type EmbeddingProvider } from '../../../embedding/index.ts';
import type { Fixture } from '../../documents/test-fixture.ts';
import { MemoryFixture } from '../test-fixture.ts';
import type { MeaningSide } from './recall-memory.ts';

const TALK = ['The garden needs water every morning.', 'I shall remind you to water it.',
  'Buy apples and pears at the market.', 'Apples it is.'];

describe('recall without a provider (decisions section 4.7)', () => {
  let fixture: MemoryFixture;
  let sessions: string[];
  beforeEach(async () => {
    fixture = await MemoryFixture.open('node:sqlite');
    sessions = [await fixture.talk(TALK, { scenario: 'home' }),
      await fixture.talk(['Apples are on sale.', 'Noted.'], { userId: 'bob' })];
  });
  afterEach(() => fixture.close());
  const found = (query: string, more: object = {}) => fixture.found(query, sessions, more);

  it('finds messages by their words, best first, and says so', async () => {
    const answer = await fixture.recall('when must the garden be watered?');
    expect(answer).toMatchObject({ total: 2, strategy: 'keyword', query: 'when must the garden be watered?' });
    expect(answer.results.map(({ rank, matchStrategy }) => [rank, matchStrategy])).toEqual([[1, 'keyword'], [2,
      'keyword']]);
    expect(answer.results[0]!.score).toBeGreaterThan(answer.results[1]!.score);
    expect(answer.results[0]).toMatchObject({
      sessionId: sessions[0],
      role: 'user',
      document: { key: `${sessions[0]}/1`, meta: { scenario: ['home'] } },
    });
    expect(answer).not.toHaveProperty('contextTruncated');
  });

  it('considers the content and neither the role nor the place', async () => {
    expect(await found('user assistant home ada message')).toEqual([]);
  });

  it('takes nothing in a query for an operator', async () => {
    expect(await found('garden AND (NOT "morning" -water')).toEqual(['0/1', '0/2']);
    expect(await found('  ')).toEqual([]);
    expect(await found('???')).toEqual([]);
  });

  it('scores by BM25 over the bodies', async () => {
    const { results } = await fixture.recall('pears');
    const lengths = [...TALK, 'Apples are on sale.', 'Noted.'].map((text) => text.split(' ').length);
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    const idf = Math.log((6 - 1 + 0.5) / (1 + 0.5) + 1);
    expect(results[0]!.score).toBeCloseTo((idf * 2.2) / (1 + 1.2 * (0.25 + (0.75 * 7) / mean)), 5);
  });

  it('filters by user, session, role and metadata', async () => {
    expect((await found('apples')).sort()).toEqual(['0/3', '0/4', '1/1']);
    expect(await found('apples', { userId: 'bob' })).toEqual(['1/1']);
    expect(await found('apples', { sessionId: sessions[0], role: 'assistant' })).toEqual(['0/4']);
    expect(await found('apples', { filterMeta: { scenario: ['home'], role: ['user'] } })).toEqual(['0/3']);
    expect(await found('apples', { userId: 'bob', filterMeta: { user_id: ['ada'] } })).toEqual([]);
    expect(await found('apples', { sessionId: 'ses_unknown' })).toEqual([]);
    expect(await found('apples', { userId: 'ada', filter: 'role = user OR user_id = bob' })).toEqual(['0/3']);
    expect(await found('apples', { langs: ['xx'] })).toEqual([]);
    expect(await found('apples', { rangeMeta: [{ field: 'user_id', gt: 'b' }] })).toEqual(['1/1']);
    expect(await found('apples', { limit: 1 })).toHaveLength(1);
    await expect(found('apples', { limit: 1, topK: 2 })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('is sorted by fields, and paged by cursor while messages come and go (decision D-163)', async () => {
    const sort = 'user_id:desc, role:asc';
    expect(await found('apples', { sort })).toEqual(['1/1', '0/4', '0/3']);
    expect(await found('apples', { sort, offset: 1, limit: 1 })).toEqual(['0/4']);
    expect(await found('apples', { sort: 'score:asc' })).toEqual(
      (await found('apples', { sort: 'score' })).toReversed(),
    );
    const first = await fixture.recall('apples', { sort, cursor: '*', limit: 1 });
    expect(first.results.map(({ rank, sessionId }) => [rank, sessionId])).toEqual([[1, sessions[1]]]);
    await fixture.call('deleteSession', { id: sessions[1] });
    await fixture.say(sessions[0]!, 'More apples, please.', 'user');
    const second = await fixture.recall('apples', { sort, cursor: first.nextCursor, limit: 2 });
    expect(second.results.map(({ rank, role }) => [rank, role])).toEqual([[2, 'assistant'], [3, 'user']]);
    const third = await fixture.recall('apples', { sort, cursor: second.nextCursor, limit: 2 });
    expect(third.results.map(({ document }) => document.key)).toEqual([`${sessions[0]}/5`]);
    const last = await fixture.recall('apples', { sort, cursor: third.nextCursor });
    expect([last.results, last.nextCursor]).toEqual([[], undefined]);
    expect((await fixture.recall('apples', { sort })).results.map(({ document }) => document.key)).toEqual(
      [4, 3, 5].map((place) => `${sessions[0]}/${place}`),
    );
    for (const more of [{}, { sort: 'role:asc' }, { sort, query: 'pears' }, { sort, strategy: 'hybrid', alpha: 0.5 }, {
      sort,
      offset: 1,
    }]) {
      await expect(fixture.recall('apples', { cursor: first.nextCursor, ...more }), JSON.stringify(more)).rejects
        .toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('keeps what words find whatever the threshold, which concerns meaning (decision D-131)', async () => {
    expect(await fixture.recall('apples market', { threshold: 100 })).toEqual(await fixture.recall('apples market'));
  });

  it('carries bodies only when asked to, and then respects the token budget', async () => {
    expect((await fixture.recall('apples')).results[0]!.document).not.toHaveProperty('contentMd');
    const all = await fixture.recall('apples', { includeContent: true });
    expect(all.results.map(({ document }) => document.contentMd).sort()).toEqual(['Apples are on sale.',
      'Apples it is.', 'Buy apples and pears at the market.']);
    const cut = await fixture.recall('apples', { includeContent: true, contextTokenBudget: 1 });
    expect(cut).toEqual({ ...all, results: all.results.slice(0, 1), total: 1, contextTruncated: true });
  });

  it('counts the metadata of results that carry nothing else', async () => {
    const all = await fixture.recall('apples');
    expect(await fixture.recall('apples', { contextTokenBudget: 1 })).toEqual({
      ...all,
      results: all.results.slice(0, 1),
      total: 1,
      contextTruncated: true,
    });
  });

  it('skips the best where asked to', async () => {
    const all = await fixture.recall('apples');
    expect((await fixture.recall('apples', { offset: 1, topK: 1 })).results).toEqual(all.results.slice(1, 2));
  });

  it('follows the profile of the collection', async () => {
    await fixture.base.sql.transaction((tx) =>
      fixture.base.collections.configure(tx, '_memory', { retrieval: { topK: 1, contextTokenBudget: 1 } })
    );
    expect((await fixture.recall('apples')).total).toBe(1);
    expect(await fixture.recall('apples', { topK: 3, includeContent: true })).toMatchObject({
      total: 1,
      contextTruncated: true,
    });
  });

  it('refuses semantic', async () => {
    await expect(fixture.recall('apples', { strategy: 'semantic' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'embedding provider not configured',
    });
  });

  it('refuses missing and out-of-range values, by name', async () => {
    for (const wrong of [{ query: '' }, { topK: 0 }, { topK: 1001 }, { alpha: 2 }, { threshold: -1 }, {
      strategy: 'magic',
    }, { role: 'robot' }]) {
      const refusal = { status: 400, message: expect.stringContaining(Object.keys(wrong)[0]!) as string };
      await expect(fixture.recall('apples', wrong), JSON.stringify(wrong)).rejects.toMatchObject(refusal);
    }
  });
});

describe('recall before anything was said', () => {
  it('finds nothing', async () => {
    const fixture = await MemoryFixture.open('sql.js');
    expect(await fixture.recall('anything')).toEqual({ results: [], total: 0, strategy: 'keyword', query: 'anything' });
    await fixture.close();
  });
});

/** Compares the query with every document, one by one: slow but simple. */
class SlowMeaning implements MeaningSide {
  readonly base: Fixture;
  readonly provider: EmbeddingProvider;
  configured = true;
  heldPlaceWhileEmbedding = false;
  fixture: MemoryFixture | undefined;

  constructor(base: Fixture, provider: EmbeddingProvider) {
    this.base = base;
    this.provider = provider;
  }

  isConfigured(): boolean {
    return this.configured;
  }

  /** The encoder's scores of documents, by ordinal; none if it is empty. */
  readonly ratings = new Map<number, number>();
  readonly encoder = {
    isWanted: () => this.ratings.size > 0,
    similarities: (_: string, passages: readonly { readonly ord: number }[]) =>
      Promise.resolve(passages.map(({ ord }) => this.ratings.get(ord))),
    known: (_: string, ords: readonly number[]) => Promise.resolve({ isText: true, ords: new Set(ords) }),
  };

  /** Vectors for `mmr`, by ordinal. */
  readonly stored = new Map<number, Float32Array>();
  documentModels = (_: string, ords: readonly number[]) =>
    ords.map((ord) => (this.stored.has(ord) ? { ...this.provider } : undefined));
  passageVectors = (_: string, passages: readonly { readonly ord: number }[]) =>
    passages.map(({ ord }) => this.stored.get(ord));

  passagesOf = async () => [];
  chunkCounts = (_: string, ords: readonly number[]) => ords.map(() => 1);

  async embedQuery(text: string) {
    this.heldPlaceWhileEmbedding ||= this.fixture!.holdsPlace;
    await setImmediate();
    const { model, variant, dimensions } = this.provider;
    return { vector: (await this.provider.embed([text], 'query'))[0]!, model: { model, variant, dimensions } };
  }

  async searchByVector({ vector, eligible, k, threshold = -Infinity }: Parameters<MeaningSide['searchByVector']>[0]) {
    const rows = await this.base.sql.all<{ ord: number; body: Uint8Array }>('SELECT ord, body FROM documents');
    const hits = [];
    for (const { ord, body } of rows) {
      if (eligible?.has(ord) === false) continue;
      const [other] = await this.provider.embed([await this.base.environment.codec.decodeAsync(body)], 'document');
      hits.push({ ord, chunk: 0, score: cosine(vector, other!) });
    }
    hits.sort((a, b) => b.score - a.score || a.ord - b.ord);
    return {
      hits: hits.filter(({ score }) => score >= threshold).slice(0, k),
      algorithm: 'flat' as const,
      incomparable: 0,
    };
  }
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('recall with a provider (decisions sections 4.5 and 4.7)', () => {
  let fixture: MemoryFixture;
  let meaning: SlowMeaning;
  let provider: EmbeddingProvider;
  beforeEach(async () => {
    provider = createEmbeddingProvider({ provider: 'builtin' });
    fixture = await MemoryFixture.open('sql.js', { meaning: (base) => (meaning = new SlowMeaning(base, provider)) });
    meaning.fixture = fixture;
    await fixture.talk(TALK);
  });
  afterEach(async () => {
    await fixture.close();
    await provider.close();
  });
  it.each(['hybrid', 'semantic', 'keyword'])('by %s prefers memories that differ, where the request says so',
    async (strategy) => {
      const plain = await fixture.recall('the', { strategy, topK: 3 });
      expect(await fixture.recall('the', { strategy, topK: 3, mmr: true })).toMatchObject({
        warnings: ['mmr: none of the results has vectors, so they are in the order of their scores'],
        results: plain.results,
      });
      for (const { ord } of await fixture.base.sql.all<{ ord: number }>('SELECT ord FROM documents'))
        meaning.stored.set(ord, Float32Array.of(ord % 2, 1 - (ord % 2)));
      const diverse = await fixture.recall('the', { strategy, topK: 3, mmr: true, mmrLambda: 0 });
      expect(diverse).not.toHaveProperty('warnings');
      expect(diverse.results[0]).toEqual(plain.results[0]);
      await expect(fixture.recall('the', { mmr: true, cursor: '*' })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    });

  /** Scores by document, of one side. */
  const scores = async (query: string, strategy: string) =>
    new Map(
      (await fixture.recall(query, { strategy, topK: 50 })).results.map(({ document: { id }, score }) => [id, score]),
    );
  const ranks = (side: ReadonlyMap<string, number>) => new Map([...side.keys()].map((id, i) => [id, i + 1]));

  it('has every message once on pages by offset, also behind the candidates of the first page', async () => {
    const words = ['apples', 'garden', 'rain', 'tea', 'lamp', 'stone'];
    await fixture.talk(
      Array.from({ length: 90 }, (_, i) => words.filter((_word, bit) => ((i * 7) >> bit) % 2 === 0).join(' ') || 'tea'),
    );
    for (const more of [{}, { alpha: 0.4 }]) {
      const all: { document: { id: string }; rank: number }[] = [];
      for (;;) {
        const { results } = await fixture.recall('apples in the garden', { topK: 10, offset: all.length, ...more });
        if (results.length === 0) break;
        all.push(...results as typeof all);
      }
      expect(all.map(({ rank }) => rank)).toEqual(all.map((_, i) => i + 1));
      expect(new Set(all.map(({ document: { id } }) => id)).size).toBe(all.length);
      const { results } = await fixture.recall('apples in the garden', { topK: 200, ...more });
      expect(all.map(({ document: { id } }) => id).sort()).toEqual(results.map(({ document: { id } }) => id).sort());
      expect(all.length).toBeGreaterThan(60);
    }
  });

  it('finds by meaning alone', async () => {
    const { results, strategy } = await fixture.recall('watering the gardens', { strategy: 'semantic', topK: 2 });
    expect([strategy, results.length]).toEqual(['semantic', 2]);
    expect(results[0]).toMatchObject({
      matchStrategy: 'semantic',
      document: { key: expect.stringMatching(/\/1$/) as string },
    });
    expect(results[0]!.score).toBeLessThanOrEqual(1);
  });

  it('fuses by ranks, and names what found each', async () => {
    const query = 'apples in the garden';
    const [words, vectors] = [await scores(query, 'keyword'), await scores(query, 'semantic')];
    const [byWords, byMeaning] = [ranks(words), ranks(vectors)];
    const { results, strategy } = await fixture.recall(query);
    expect(strategy).toBe('hybrid');
    expect(results.length).toBe(new Set([...words.keys(), ...vectors.keys()]).size);
    for (const { document: { id }, score, matchStrategy } of results) {
      const rrf = (rank: number | undefined) => (rank === undefined ? 0 : 1 / (60 + rank));
      expect(score).toBeCloseTo(rrf(byWords.get(id)) + rrf(byMeaning.get(id)), 6);
      expect(matchStrategy).toBe(byWords.has(id) ? 'hybrid' : 'semantic');
    }
    expect(results.map(({ score }) => score)).toEqual(results.map(({ score }) => score).sort((a, b) => b - a));
  });

  it('is reordered by the encoder where it is wanted (decision D-148)', async () => {
    const query = 'apples in the garden';
    for (const strategy of ['hybrid', 'semantic']) {
      meaning.ratings.clear();
      const plain = await fixture.recall(query, { strategy, topK: 50 });
      expect(plain).not.toHaveProperty('reranked');
      const last = plain.results.at(-1)!.document.id;
      for (const { ord, id } of await meaning.base.sql.all<{ ord: number; id: string }>(
        'SELECT ord, id FROM documents',
      )) meaning.ratings.set(ord, id === last ? 1 : -1);
      const { results, reranked } = await fixture.recall(query, { strategy, topK: 1 });
      expect([results[0]!.document.id, reranked]).toEqual([last, plain.results.length]);
    }
  });

  it('blends by weight when alpha is sent', async () => {
    const query = 'apples in the garden';
    const [words, vectors] = [await scores(query, 'keyword'), await scores(query, 'semantic')];
    const best = Math.max(...words.values());
    for (const { document: { id }, score } of (await fixture.recall(query, { alpha: 0.3 })).results) {
      expect(score).toBeCloseTo((0.7 * (words.get(id) ?? 0)) / best + 0.3 * Math.max(0, vectors.get(id) ?? 0), 6);
    }
  });

  it('asks words alone with an alpha of 0, and meaning alone with 1', async () => {
    const query = 'apples in the garden';
    const only = async (alpha: number) =>
      (await fixture.recall(query, { alpha })).results.map((
        { document: { id }, matchStrategy },
      ) => [id, matchStrategy]);
    expect(await only(0)).toEqual([...(await scores(query, 'keyword')).keys()].map((id) => [id, 'keyword']));
    expect(await only(1)).toEqual([...(await scores(query, 'semantic')).keys()].map((id) => [id, 'semantic']));
  });

  it('drops vector results below the similarity threshold, before the sides are fused (decision D-131)', async () => {
    const query = 'apples in the garden';
    const [words, vectors] = [await scores(query, 'keyword'), await scores(query, 'semantic')];
    const threshold = [...vectors.values()][1]! - 1e-6;
    expect([...await scores(query, 'semantic')].length).toBeGreaterThan(2);
    const { results } = await fixture.recall(query, { strategy: 'semantic', threshold });
    expect(results.map(({ document: { id } }) => id)).toEqual([...vectors.keys()].slice(0, 2));
    const both = (await fixture.recall(query, { threshold })).results;
    expect(new Set(both.map(({ document: { id } }) => id))).toEqual(
      new Set([...words.keys(), ...[...vectors.keys()].slice(0, 2)]),
    );
    expect((await fixture.recall(query, { threshold: 1 })).results.map(({ matchStrategy }) => matchStrategy)).toEqual(
      [...words].map(() => 'keyword'),
    );
  });

  it('says how near each result is, whatever its score is made of (decision D-190)', async () => {
    const query = 'apples in the garden';
    const vectors = await scores(query, 'semantic');
    for (const more of [{}, { alpha: 0.3 }, { strategy: 'semantic' }]) {
      for (const { document: { id }, vectorScore } of (await fixture.recall(query, more)).results)
        expect(vectorScore).toBeCloseTo(Math.max(0, vectors.get(id) ?? 0), 6);
    }
    const { results } = await fixture.recall(query, { strategy: 'keyword' });
    expect(results.map(({ vectorScore }) => vectorScore)).toEqual(results.map(() => 0));
  });

  it('filters both sides', async () => {
    const { results } = await fixture.recall('apples in the garden', { role: 'assistant' });
    expect(results.map(({ role }) => role)).toEqual(['assistant', 'assistant']);
  });

  it('holds a place among the searches for the scoring only', async () => {
    await fixture.recall('apples');
    expect([fixture.gated, meaning.heldPlaceWhileEmbedding]).toEqual([1, false]);
    await fixture.recall(' ');
    expect(fixture.gated).toBe(1);
  });

  it('does without when there is no provider any more', async () => {
    meaning.configured = false;
    expect(await fixture.recall('apples')).toMatchObject({ strategy: 'keyword', total: 2 });
    await expect(fixture.recall('apples', { strategy: 'semantic' })).rejects.toMatchObject({
      message: 'embedding provider not configured',
    });
  });
});
