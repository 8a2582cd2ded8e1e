import { expect, it } from 'vitest';
import { silentLog as log } from '../../lib/log.ts';
import type { BodyCodec, Sql } from '../../storage/index.ts';
import { createChunker } from './chunker.ts';
import { TokenMatching, TokenWarmUp } from './token-matching.ts';

const MODEL = { model: 'm', variant: 'v' };
/** Bodies by ordinal; each letter is a token. */
const BODIES: Readonly<Record<number, string>> = { 1: 'abcdef', 2: 'ghijkl', 3: 'mnopqr' };
/** Bytes of the cache: it has room for the tokens of one body. */
const LIMIT = 150;

const tokensOf = async ([text]: readonly string[]) => ({
  all: Uint16Array.from(new Set(text), (letter) => letter.charCodeAt(0)),
  lead: 0,
});
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
          take(ord, {
            expiresAt: null,
            embedded: { ord, space: '', crc: ord, bytes: 6, chunking: 'whole' },
            isFresh: true,
          });
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

/** A warm-up of `documents` documents, numbered from 1, in the collections `near` and, every third one, `far`. */
function setUp(documents: number, capacity = Infinity) {
  const state = {
    now: 0,
    idle: true,
    documents,
    read: [] as number[],
    failures: 0,
    model: MODEL as typeof MODEL | undefined,
  };
  const all = async (_text: string, [after, , , limit]: readonly number[]) =>
    Array.from({ length: state.documents }, (_, i) => i + 1).filter((ord) => ord > after!).slice(0, limit).map((
      ord,
    ) => ({ ord, name: ord % 3 === 0 ? 'far' : 'near' }));
  const warmUp = new TokenWarmUp({
    sql: { background: { all } } as unknown as Pick<Sql, 'background'>,
    clock: { now: () => state.now },
    log,
    isIdle: () => state.idle,
    isLocal: (name) => name === 'near',
    matching: {
      get model() {
        return state.model;
      },
      async fill(ords) {
        if (state.failures-- > 0) throw new Error('not now');
        if (state.read.length + ords.length > capacity) return false;
        state.read.push(...ords);
        return true;
      },
    },
  });
  /** Wakes it, and waits until the pass has ended. */
  const pass = async () => {
    warmUp.wake();
    for (let before = -1; before !== state.read.length;) {
      before = state.read.length;
      await new Promise(setImmediate);
    }
  };
  return { state, warmUp, pass };
}

const near = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((ord) => ord % 3 !== 0);

it('reads each document once, except those whose bodies are elsewhere, and later the new ones', async () => {
  const { state, pass } = setUp(100);
  await pass();
  expect(state.read).toEqual(near(1, 100));
  state.documents = 120;
  await pass();
  expect(state.read).toEqual(near(1, 100));
  state.now += 5000;
  await pass();
  expect(state.read).toEqual(near(1, 120));
});

it('reads nothing while documents are embedded, without token vectors, and when the cache is full', async () => {
  const { state, pass } = setUp(100, 20);
  state.idle = false;
  await pass();
  state.now += 5000;
  state.idle = true;
  state.model = undefined;
  await pass();
  expect(state.read).toEqual([]);
  state.now += 5000;
  state.model = MODEL;
  await pass();
  expect(state.read).toEqual(near(1, 16));
});

it('continues after a failure, and ends when it is stopped', async () => {
  const { state, warmUp, pass } = setUp(100);
  state.failures = 1;
  await pass();
  expect(state.read).toEqual([]);
  state.now += 5000;
  warmUp.wake();
  await warmUp.stop();
  const { length } = state.read;
  expect(length).toBeLessThan(near(1, 100).length);
  state.now += 5000;
  await pass();
  expect(state.read).toHaveLength(length);
});
