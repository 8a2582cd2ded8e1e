import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EmbeddingProvider, TokenMatcher } from '../../embedding/index.ts';
import { Meaning, VectorFixture } from '../vectors/test-fixture.ts';

/** A model with tokens to which all texts are equally near, so that only the tokens tell documents apart. */
class Tokens extends Meaning {
  readonly #ids = new Map<string, number>();
  /** Number of documents whose tokens were read. */
  read = 0;

  override vectorOf(): number[] {
    return Array.from({ length: this.dimensions }, (_, i) => Number(i === 0));
  }

  override provider(): EmbeddingProvider {
    const tokensOf = (text: string) => Uint16Array.from(new Set(text.toLowerCase().match(/\w+/g) ?? []), (word) => this.#idOf(word));
    const match = (query: Uint16Array, text: Uint16Array) => query.filter((id) => text.includes(id)).length / query.length;
    const matches: TokenMatcher['matches'] = (query, texts) => {
      this.read = texts.length;
      return texts.map(({ all, lead }) => (match(query, all) + match(query, all.subarray(0, lead))) / 2);
    };
    return { ...super.provider(), passages: { size: 40, leadWeight: 0.3, stored: 'int8' }, matcher: () => Promise.resolve({ tokensOf, matches }) };
  }

  #idOf(word: string): number {
    if (!this.#ids.has(word)) this.#ids.set(word, this.#ids.size);
    return this.#ids.get(word)!;
  }
}

const tokens = new Tokens('tokens', 32);
let fixture: VectorFixture;
beforeAll(async () => {
  fixture = await VectorFixture.open({ meaning: tokens, embedding: { provider: 'openai', apiKey: 'k', queueWaitMs: 0 } });
  await fixture.add('none', 'Wheat is a grass that is grown for its grain.');
  await fixture.add('late', `${'Something else stands here. '.repeat(3)}\n\nRye bread is dark.`);
  await fixture.add('first', 'Rye bread is dark.');
});
afterAll(() => fixture.close());

const found = async (query: string, more = {}) => (await fixture.find(query, more)).results.map(({ document, score }) => [document.key, score]);

it('orders documents by the tokens of their first passage and of their beginning', async () => {
  expect(await found('rye bread')).toEqual([['first', 1], ['late', 0.75], ['none', 0.5]]);
  expect(await found('rye bread', { topK: 1 })).toEqual([['first', 1]]);
  expect(await found('rye bread', { threshold: 0.7 })).toEqual([['first', 1], ['late', 0.75]]);
  expect(tokens.read).toBe(3);
});

it('has the tokens of the present version', async () => {
  await fixture.add('none', 'Rye bread.');
  expect(await found('rye bread')).toEqual([['none', 1], ['first', 1], ['late', 0.75]]);
});

it('leaves the scores of passages, of other measures and of given vectors as they are', async () => {
  for (const more of [{ retrievalMode: 'chunk' }, { distanceMetric: 'dot_product' }]) expect(new Set((await found('rye bread', more)).map(([, score]) => score))).toEqual(new Set([1]));
  const { results } = await fixture.call('searchVectors', { collection: 'c', queryVector: tokens.vectorOf() }) as Awaited<ReturnType<VectorFixture['find']>>;
  expect(new Set(results.map(({ score }) => score))).toEqual(new Set([1]));
});
