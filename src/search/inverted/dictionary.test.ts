import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldDiacritics } from '../../text/folding.ts';
import { InvertedIndex } from './index.ts';

/** Few letters, of one to four bytes, so that random words are similar. */
const letter = fc.constantFrom('a', 'b', 'c', 'é', 'я', '語', '𝒳');
const word = fc.string({ unit: letter, minLength: 1, maxLength: 7 });
const words = fc.uniqueArray(word, { minLength: 1, maxLength: 60, size: 'max' });
const pattern = fc.string({ unit: fc.oneof(letter, fc.constantFrom('*', '?')), minLength: 1, maxLength: 6 });

/** A `?` at the end stands for one character or none. */
const matching = (wildcard: string): RegExp =>
  new RegExp(
    `^${
      foldDiacritics(wildcard).replaceAll(/[?]+$/g, (end) => '.?'.repeat(end.length)).replaceAll('*', '.*').replaceAll(
        /(?<![.])[?]/g,
        '.',
      )
    }$`,
    'su',
  );

describe.each(['release', 'debug'] as const)('the dictionary, %s build', (build) => {
  const indexOf = (list: readonly string[]): InvertedIndex => {
    const index = new InvertedIndex({ build, compactionStep: 5 });
    list.forEach((form, ord) => index.add(ord, [{ field: 0, tokens: [{ form, position: 0 }] }]));
    return index;
  };
  it('finds prefixes in order, patterns and equals but for diacritics as a scan does', () => {
    fc.assert(fc.property(words, word, pattern, (list, part, wildcard) => {
      const index = indexOf(list);
      const prefixed = texts(index, index.prefix(part, 1000));
      expect([...prefixed].sort()).toEqual(
        list.filter((form) => foldDiacritics(form).startsWith(foldDiacritics(part))).sort(),
      );
      const keys = prefixed.map((form) => Buffer.from(foldDiacritics(form)));
      expect(keys).toEqual([...keys].sort(Buffer.compare));
      const matcher = matching(wildcard);
      expect(texts(index, index.wildcard(wildcard, 1000)).sort()).toEqual(
        list.filter((form) => matcher.test(foldDiacritics(form))).sort(),
      );
      expect(texts(index, index.unstemmed(part)).sort()).toEqual(
        list.filter((form) => foldDiacritics(form) === foldDiacritics(part)).sort(),
      );
    }), { numRuns: build === 'debug' ? 80 : 200 });
  });

  it('keeps very many forms in order that begin and end alike', () => {
    const alike = fc.tuple(fc.constantFrom('', 'prototype', 'prototypé'),
      fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 9 }), fc.constantFrom('', 'listener', 'listeners'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.uniqueArray(alike.filter((form) => form !== ''), { minLength: 300, maxLength: 700, size: 'max' }),
        fc.constantFrom('prototype', 'prototypeab', 'a'), fc.constantFrom('*listener', '*blisteners', '*b'),
        (list, prefix, suffix) => {
          const index = indexOf(list);
          for (let ord = 0; ord < list.length; ord += 3) index.remove(ord);
          while (index.compact(1000));
          const kept = list.filter((_, ord) => ord % 3 !== 0);
          const key = (form: string) => Buffer.from(foldDiacritics(form));
          const all = texts(index, index.prefix('', 1000));
          expect([...all].sort()).toEqual([...kept].sort());
          expect(all.map(key)).toEqual(all.map(key).sort(Buffer.compare));
          expect(texts(index, index.prefix(prefix, 1000)).sort()).toEqual(kept.filter((form) =>
            foldDiacritics(form).startsWith(prefix)
          ).sort());
          expect(texts(index, index.wildcard(suffix, 1000)).sort()).toEqual(kept.filter((form) =>
            foldDiacritics(form).endsWith(suffix.slice(1))
          ).sort());
        }),
      { numRuns: 20 },
    );
  });

  it('finds forms within a number of edits, the first character included', () => {
    fc.assert(fc.property(words, word, fc.integer({ min: 0, max: 2 }), (list, about, edits) => {
      const index = indexOf(list);
      const found = index.fuzzy(about, edits, 1000).map(({ id, distance }) => [index.textOf(id), distance]);
      const expected = list.map((form) => [form, distanceBetween(foldDiacritics(form), foldDiacritics(about))]).filter((
        [, distance],
      ) => (distance as number) <= edits);
      expect(found.sort()).toEqual(expected.sort());
    }), { numRuns: build === 'debug' ? 80 : 200 });
  });

  it('finds forms that begin with something within a number of edits', () => {
    fc.assert(fc.property(words, word, fc.constantFrom(1, 2), fc.constantFrom(0, 1), (list, about, edits, kept) => {
      const index = indexOf(list);
      const found = index.begunLike(about, edits as 1 | 2, kept, 1000).map((
        { id, distance },
      ) => [index.textOf(id), distance]);
      const wanted = [...foldDiacritics(about)];
      const expected = list.filter((form) => kept === 0 || [...foldDiacritics(form)][0] === wanted[0]).map((form) => [
        form,
        Math.min(
          ...beginningsOf([...foldDiacritics(form)].slice(kept)).map((beginning) =>
            distanceBetween(beginning, wanted.slice(kept).join(''))
          ),
        ),
      ]).filter(([, distance]) => (distance as number) <= edits);
      expect(found.sort()).toEqual(expected.sort());
    }), { numRuns: build === 'debug' ? 80 : 200 });
  });

  it('forgets forms whose documents are gone, and uses their numbers again', () => {
    fc.assert(fc.property(words, words, (before, after) => {
      const index = indexOf(before);
      before.forEach((_, ord) => index.remove(ord));
      while (index.compact(1000));
      expect(index.stats()).toMatchObject({
        forms: 0,
        documents: 0,
        bytes: { strings: 0, tails: 0, orders: expect.any(Number) },
      });
      after.forEach((form, ord) => index.add(ord, [{ field: 0, tokens: [{ form, position: 0 }] }]));
      expect(texts(index, index.prefix('', 1000)).sort()).toEqual([...after].sort());
      expect(before.filter((form) => index.form(form) !== undefined).sort()).toEqual(
        before.filter((form) => after.includes(form)).sort(),
      );
    }), { numRuns: build === 'debug' ? 40 : 100 });
  });

  it('finds patterns and forms whatever came, went and was reloaded', async () => {
    await fc.assert(
      fc.asyncProperty(words, words, fc.array(pattern, { minLength: 3, maxLength: 3 }), fc.boolean(),
        async (before, after, patterns, reloaded) => {
          let index = indexOf(before);
          for (let ord = 0; ord < before.length; ord += 2) index.remove(ord);
          index.compact(0, true, () => 0);
          if (reloaded) index = await InvertedIndex.load(index.save(1n), [], { build, compactionStep: 5 });
          after.forEach((form, i) => index.add(100 + i, [{ field: 0, tokens: [{ form, position: 0 }] }]));
          while (index.compact(1000));
          const list = [...new Set([...before.filter((_, ord) => ord % 2 === 1), ...after])];
          for (const wildcard of patterns) {
            const matcher = matching(wildcard);
            const found = texts(index, index.wildcard(wildcard, 1000)).filter((form) => list.includes(form));
            expect(found.sort()).toEqual(list.filter((form) => matcher.test(foldDiacritics(form))).sort());
          }
          for (const form of list) expect(index.textOf(index.form(form)!)).toBe(form);
        }),
      { numRuns: build === 'debug' ? 40 : 100 },
    );
  });

  it('knows its forms while its table grows, shrinks and grows again', () => {
    const index = new InvertedIndex({ build });
    const formOf = (ord: number) => `w${(ord * 7919) % 30_000}`;
    const present = new Set<number>();
    const write = (from: number, to: number) => {
      for (let ord = from; ord < to; ord++) {
        index.add(ord, [{ field: 0, tokens: [{ form: formOf(ord), position: 0 }] }]);
        present.add(ord);
      }
    };
    const check = () => {
      for (let ord = 0; ord < 4000; ord++) expect(index.form(formOf(ord)) !== undefined).toBe(present.has(ord));
    };
    // The hash table grows after 384, 768, 1536 and 3072 forms, by some slots at a time.
    for (const [from, to] of [[0, 390], [1000, 1400], [2000, 2760], [3000, 3400]] as const) {
      write(from, to);
      for (let ord = from; ord < to; ord += 3) if (index.remove(ord)) present.delete(ord);
      while (index.compact(1000));
      write(from + 800, from + 830);
      check();
    }
    expect(index.wildcard('*', 10_000)).toHaveLength(present.size);
  });

  it('keeps its order over many leaves', () => {
    const list = Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 3000).toString(36));
    const index = indexOf(list);
    expect(texts(index, index.prefix('', 10_000))).toEqual([...list].sort());
    expect(texts(index, index.wildcard('*7', 10_000)).sort()).toEqual(list.filter((form) => form.endsWith('7')).sort());
    expect(texts(index, index.wildcard('*a*b*', 10_000)).sort()).toEqual(
      list.filter((form) => /a.*b/.test(form)).sort(),
    );
    expect(texts(index, index.wildcard('?9?', 10_000)).sort()).toEqual(
      list.filter((form) => /^.9.?$/.test(form)).sort(),
    );
    expect(texts(index, index.wildcard('1*', 10_000))).toEqual([...list].sort().filter((form) => form.startsWith('1')));
    expect(index.wildcard('*1*', 7)).toHaveLength(7);
    expect(index.fuzzy('1a1', 2, 9)).toHaveLength(9);
    expect(index.prefix('1', 5)).toHaveLength(5);
    for (let ord = 0; ord < 3000; ord++) if (ord % 3 !== 0) index.remove(ord);
    while (index.compact(1000));
    expect(texts(index, index.prefix('', 10_000))).toEqual(list.filter((_, ord) => ord % 3 === 0).sort());
  });

  it('takes words of any length', () => {
    const long = 'x'.repeat(100);
    const index = indexOf([long, 'x'.repeat(61), 'y'.repeat(2000)]);
    expect(texts(index, index.fuzzy(long, 2, 10).map(({ id }) => id))).toEqual([long]);
    expect(index.fuzzy('x'.repeat(60), 1, 10)).toEqual([{ id: index.form('x'.repeat(61)), distance: 1 }]);
    expect(texts(index, index.prefix('y', 10))).toEqual(['y'.repeat(768)]);
  });
});

it('finds literals that stand within, among very many forms', () => {
  const index = new InvertedIndex({ additionStep: 1_000_000 });
  const random = mulberry(5);
  const list = Array.from({ length: 30_000 },
    () =>
      Array.from({ length: 4 + Math.floor(7 * random()) }, () => 'etaoinshrdlu'[Math.floor(12 * random())]).join(''));
  index.add(0, [{ field: 0, text: list.join(' ') }]);
  for (const part of ['ret', 'uuu', 'sho', 'rest', 'adults']) {
    expect(texts(index, index.wildcard(`*${part}*`, 100_000)).sort()).toEqual(
      [...new Set(list)].filter((form) => form.includes(part)).sort(),
    );
  }
});

const texts = (index: InvertedIndex, ids: readonly number[]) => ids.map((id) => index.textOf(id));

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('groups', () => {
  it('hold the forms of a term, whenever the analyzer came', async () => {
    const firstLetter = { name: 'first', term: (form: string) => form[0]! };
    const length = { name: 'length', term: (form: string) => String([...form].length) };
    await fc.assert(fc.asyncProperty(words, words, word, async (before, after, about) => {
      let index = new InvertedIndex({ build: 'debug', compactionStep: 2 });
      before.forEach((form, ord) => index.add(ord, [{ field: 0, tokens: [{ form, position: 0 }] }], firstLetter));
      index.prepare(length);
      after.forEach((form, ord) => index.add(ord, [{ field: 0, tokens: [{ form, position: 0 }] }]));
      index = await InvertedIndex.load(index.save(1n), [length], { build: 'debug' });
      while (index.compact(1000));
      const all = index.prefix('', 1000).map((id) => index.textOf(id));
      for (const analyzer of [firstLetter, length]) {
        const members = index.group(analyzer, about).map((id) => index.textOf(id));
        expect(members.sort()).toEqual(all.filter((form) => analyzer.term(form) === analyzer.term(about)).sort());
      }
    }), { numRuns: 100 });
  });

  it('are joined and left without the cache of an analyzer, which belongs to searches', () => {
    const cached: string[] = [];
    const once: string[] = [];
    const analyzer = {
      name: 'first',
      term: (form: string) => (cached.push(form), form[0]!),
      termOnce: (form: string) => (once.push(form), form[0]!),
    };
    const index = new InvertedIndex({ build: 'debug', compactionStep: 1 });
    for (const [ord, form] of ['walk', 'talk', 'wall'].entries())
      index.add(ord, [{ field: 0, tokens: [{ form, position: 0 }] }], analyzer);
    expect(index.group(analyzer, 'walks').map((id) => index.textOf(id)).sort()).toEqual(['walk', 'wall']);
    index.remove(1);
    while (index.compact(1000));
    expect(once).toEqual(['walk', 'talk', 'wall', 'talk']);
    expect(new Set(cached)).toEqual(new Set(['walks', 'walk', 'wall']));
  });

  it('are 32 at most', () => {
    const index = new InvertedIndex();
    for (let i = 0; i < 32; i++) index.prepare({ name: String(i), term: (form) => form });
    expect(() => index.prepare({ name: 'one more', term: (form) => form })).toThrow(RangeError);
  });
});

function beginningsOf(characters: readonly string[]): string[] {
  return Array.from({ length: characters.length + 1 }, (_, end) => characters.slice(0, end).join(''));
}

/** Optimal string alignment: a swap of neighbours is one edit. */
function distanceBetween(a: string, b: string): number {
  const [from, to] = [[...a], [...b]];
  let before: number[] = [];
  let row = to.map((_, j) => j).concat(to.length);
  for (const [i, character] of from.entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const isSwap = i > 0 && j > 0 && character === to[j - 1] && from[i - 1] === to[j];
      next.push(
        Math.min(row[j]! + (to[j] === character ? 0 : 1), row[j + 1]! + 1, next[j]! + 1,
          isSwap ? before[j - 1]! + 1 : Infinity),
      );
    }
    [before, row] = [row, next];
  }
  return row.at(-1)!;
}
