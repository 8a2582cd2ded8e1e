import { expect, it } from 'vitest';
import type { BodyCodec, Sql } from '../../storage/index.ts';
import { createChunker } from './chunker.ts';
import { TokenMatching } from './token-matching.ts';

const MODEL = { model: 'm', variant: 'v' };
/** Bodies by ordinal; each letter is a token. */
const BODIES: Readonly<Record<number, string>> = { 1: 'abcdef', 2: 'ghijkl', 3: 'mnopqr' };
/** Bytes of the cache: it has room for the tokens of one body. */
const LIMIT = 150;

const tokensOf = (text: string): Uint16Array<ArrayBuffer> =>
  Uint16Array.from(new Set(text), (letter) => letter.charCodeAt(0));
/** The share of the query's letters that a text has. */
const matches = (query: Uint16Array, texts: readonly { readonly all: Uint16Array }[]): number[] =>
  texts.map(({ all }) => query.filter((letter) => all.includes(letter)).length / query.length);

function open() {
  const state = {
    /** The next search calls this when it has the states of its documents, and waits for it. */
    afterEach: async (): Promise<void> => {},
    read: [] as number[],
  };
  const all = async (_: string, params: readonly number[]) =>
    [...new Set(params)].filter((ord) => BODIES[ord] !== undefined).map((ord) => {
      state.read.push(ord);
      return {
        ord,
        cid: 1,
        id: `${ord}`,
        key: `${ord}`,
        lang: 'en',
        crc: ord,
        bytes: 6,
        meta: '{}',
        body: Buffer.from(BODIES[ord]!),
      };
    });
  const provider = { ...MODEL, matcher: async () => ({ tokensOf, matches }) };
  const matching = new TokenMatching({
    sql: { all } as unknown as Sql,
    codec: { fetchAhead: async () => {}, decodeAsync: async (body: Buffer) => body.toString() } as unknown as BodyCodec,
    clock: { now: () => 0 },
    limit: LIMIT,
    chunker: createChunker({ chunkEnabled: false, chunkMode: undefined, chunkSize: 350 }),
    providers: {
      use: (async (work: (current: typeof provider) => unknown) => work(provider)) as never,
      current: provider as never,
    },
    bodies: {
      async each(ords, take) {
        const { afterEach } = state;
        state.afterEach = async () => {};
        for (const ord of ords)
          take(ord, { expiresAt: null, embedded: { ord, crc: ord, bytes: 6, chunking: 'whole' }, isFresh: true });
        await afterEach();
      },
    },
  });
  const search = async (text: string, ...ords: number[]) =>
    Object.fromEntries((await matching.similarities(text, MODEL, ords))!);
  return { state, search };
}

it('documents have the share of the words of a text, and are read once while they are cached', async () => {
  const { state, search } = open();
  expect([await search('abxy', 1), await search('ax', 1), state.read]).toEqual([{ 1: 0.5 }, { 1: 0.5 }, [1]]);
});

it('a search compares its own documents while another one replaces them in the cache', async () => {
  const { state, search } = open();
  await search('a', 1);
  state.afterEach = async () => void await search('g', 2);
  expect(await search('abc', 1)).toEqual({ 1: 1 });
  expect(state.read).toEqual([1, 2, 1]);
});

it('and while it reads further ones, which replace them, too', async () => {
  const { state, search } = open();
  await search('a', 1);
  expect(await search('abm', 1, 3)).toEqual({ 1: 2 / 3, 3: 1 / 3 });
  await search('a', 1);
  state.afterEach = async () => void await search('g', 2);
  expect(await search('abm', 1, 3)).toEqual({ 1: 2 / 3, 3: 1 / 3 });
});
