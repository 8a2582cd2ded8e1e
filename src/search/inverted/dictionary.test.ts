import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldDiacritics } from '../../text/folding.ts';
import { InvertedIndex } from './index.ts';

/** Few letters, of one, two, three and four bytes, so that random words resemble each other. */
const letter = fc.constantFrom('a', 'b', 'c', 'é', 'я', '語', '𝒳');
const word = fc.string({ unit: letter, minLength: 1, maxLength: 7 });
const words = fc.uniqueArray(word, { minLength: 1, maxLength: 60, size: 'max' });
const pattern = fc.string({ unit: fc.oneof(letter, fc.constantFrom('*', '?')), minLength: 1, maxLength: 6 });

describe.each(['release', 'debug'] as const)('the dictionary, %s build', (build) => {
  const indexOf = (list: readonly string[]): InvertedIndex => {
    const index = new InvertedIndex({ build, compactionStep: 5 });
    list.forEach((form, ord) => index.add(ord, [{ field: 0, tokens: [{ form, position: 0 }] }]));
    return index;
  };
  const texts = (index: InvertedIndex, ids: readonly number[]) => ids.map((id) => index.textOf(id));

  it('finds prefixes in order, patterns and equals but for diacritics as a scan does', () => {
    fc.assert(fc.property(words, word, pattern, (list, part, wildcard) => {
      const index = indexOf(list);
      const prefixed = texts(index, index.prefix(part, 1000));
      expect([...prefixed].sort()).toEqual(list.filter((form) => foldDiacritics(form).startsWith(foldDiacritics(part))).sort());
      const keys = prefixed.map((form) => Buffer.from(foldDiacritics(form)));
      expect(keys).toEqual([...keys].sort(Buffer.compare));
      const matcher = new RegExp(`^${foldDiacritics(wildcard).replaceAll('*', '.*').replaceAll('?', '.')}$`, 'su');
      expect(texts(index, index.wildcard(wildcard, 1000)).sort()).toEqual(list.filter((form) => matcher.test(foldDiacritics(form))).sort());
      expect(texts(index, index.unstemmed(part)).sort()).toEqual(list.filter((form) => foldDiacritics(form) === foldDiacritics(part)).sort());
    }), { numRuns: 200 });
  });

  it('finds what is within so many edits, the first character included', () => {
    fc.assert(fc.property(words, word, fc.integer({ min: 0, max: 2 }), (list, about, edits) => {
      const index = indexOf(list);
      const found = index.fuzzy(about, edits, 1000).map(({ id, distance }) => [index.textOf(id), distance]);
      const expected = list.map((form) => [form, levenshtein(foldDiacritics(form), foldDiacritics(about))]).filter(([, distance]) => (distance as number) <= edits);
      expect(found.sort()).toEqual(expected.sort());
    }), { numRuns: 200 });
  });

  it('forgets forms whose documents are gone, and uses their numbers again', () => {
    fc.assert(fc.property(words, words, (before, after) => {
      const index = indexOf(before);
      before.forEach((_, ord) => index.remove(ord));
      while (index.compact(1000));
      expect(index.stats()).toMatchObject({ forms: 0, documents: 0, bytes: { strings: 0, tails: 0, orders: expect.any(Number) } });
      after.forEach((form, ord) => index.add(ord, [{ field: 0, tokens: [{ form, position: 0 }] }]));
      expect(texts(index, index.prefix('', 1000)).sort()).toEqual([...after].sort());
      expect(before.filter((form) => index.form(form) !== undefined).sort()).toEqual(before.filter((form) => after.includes(form)).sort());
    }), { numRuns: 100 });
  });

  it('keeps its order over many leaves', () => {
    const list = Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 3000).toString(36));
    const index = indexOf(list);
    expect(texts(index, index.prefix('', 10_000))).toEqual([...list].sort());
    expect(texts(index, index.wildcard('*7', 10_000)).sort()).toEqual(list.filter((form) => form.endsWith('7')).sort());
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

  it('are 32 at most', () => {
    const index = new InvertedIndex();
    for (let i = 0; i < 32; i++) index.prepare({ name: String(i), term: (form) => form });
    expect(() => index.prepare({ name: 'one more', term: (form) => form })).toThrow(RangeError);
  });
});

function levenshtein(a: string, b: string): number {
  const [from, to] = [[...a], [...b]];
  let row = to.map((_, j) => j).concat(to.length);
  for (const [i, character] of from.entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) next.push(Math.min(row[j]! + (to[j] === character ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    row = next;
  }
  return row.at(-1)!;
}
