import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../text/highlight/scanned-text.ts';
import { tokenTables } from '../text/token-tables.ts';
import { tokenize } from '../text/tokenize.ts';
import { MarksKernel } from './marks.ts';

/** The result of the kernel, as plain values. */
interface Found {
  readonly words: readonly (readonly [start: number, end: number])[];
  readonly marks: readonly (readonly [word: number, form: string])[];
}

/** The twin of the kernel. */
function markedWords(text: string, forms: readonly string[]): Found {
  const tokens = tokenize(text);
  return {
    words: tokens.map(({ start, end }) => [start, end]),
    marks: tokens.filter(({ form }) => forms.includes(form)).map(({ position, form }) => [position, form]),
  };
}

const piece = fc.oneof({
  weight: 8,
  arbitrary: fc.constantFrom('fox', 'Foxes', 'QUICK', 'don’t', "don't", '3.14', 'Größe', 'große', 'a', 'I', 'naïve',
    'Straße', 'x'.repeat(63), 'y'.repeat(64), 'z'.repeat(300), 'İstanbul', 'ﬁre', 'C++', 'f#', '.NET', 'ASP.NET',
    '.net', 'NET'),
}, {
  weight: 4,
  arbitrary: fc.constantFrom(' ', '\n', '. ', '-', '_', '`', '…', '  \n', ', ', "'", '.', '\u200d', '+', '#'),
}, {
  weight: 1,
  arbitrary: fc.constantFrom('検索エンジン', 'e\u0301tude', 'ภาษาไทย', '가나', '🚀', '\ud800', 'नमस्ते'),
}, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) });
const text = fc.array(piece, { maxLength: 60, size: 'max' }).map((pieces) => pieces.join(''));

describe.each(['release', 'debug'] as const)('marked words, %s build', (build) => {
  const kernel = new MarksKernel(tokenTables(), build);
  const scan = (given: string, forms: readonly string[]): Found => {
    kernel.use(forms);
    const { marks, bytes, lines, wordsOf } = kernel.scan(given, tokenize);
    const utf8 = Buffer.from(given);
    const { starts, ends } = wordsOf([{ start: 0, end: utf8.length }]);
    for (let i = 0; i < marks.length; i += 4)
      expect([marks[i + 2], marks[i + 3]]).toEqual([starts[marks[i]!], ends[marks[i]!]]);
    expect(bytes.equals(utf8)).toBe(true);
    expect(lines).toEqual(linesOf(utf8));
    return {
      words: Array.from(starts, (start, i) => [start, ends[i]!]),
      marks: Array.from({ length: marks.length / 4 }, (_, i) => [marks[4 * i]!, forms[marks[4 * i + 1]! - 1]!]),
    };
  };

  it('are those that the tokeniser and a set find', () => {
    fc.assert(
      fc.property(text, fc.infiniteStream(fc.boolean()), fc.array(piece, { maxLength: 5 }), (given, chosen, more) => {
        const own = tokenize(given).map(({ form }) => form).filter(() => chosen.next().value === true);
        const forms = [...new Set([...own, ...more.flatMap((one) => tokenize(one).map(({ form }) => form))])];
        expect(scan(given, forms)).toEqual(markedWords(given, forms));
      }),
      { numRuns: build === 'debug' ? 160 : 400 },
    );
  });

  it('are found in texts of every length around a window of the tokeniser', () => {
    for (let length = 0; length <= 200; length++) {
      const given = 'ab fox, '.repeat(30).slice(0, length);
      expect(scan(given, ['fox', 'fo'])).toEqual(markedWords(given, ['fox', 'fo']));
    }
  });

  it('are found in UTF-8, with lines of any length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(text, fc.constantFrom('\n', '\n\n', '> ', '\t', ' \n', '\r\n')), { maxLength: 40 }).map((
          pieces,
        ) => pieces.join('')),
        (given) => {
          kernel.use(['fox']);
          const utf8 = Buffer.from(given);
          const { wordsOf, lines } = kernel.scan(utf8, tokenize);
          const { starts } = wordsOf([{ start: 0, end: utf8.length }]);
          expect([[...starts], lines]).toEqual([tokenize(utf8.toString()).map(({ start }) => start), linesOf(utf8)]);
        },
      ),
      { numRuns: build === 'debug' ? 40 : 100 },
    );
  });

  it('can be listed for parts of a text, with some around them', () => {
    fc.assert(fc.property(text, fc.array(fc.tuple(fc.nat(400), fc.nat(100)), { maxLength: 4 }), (given, places) => {
      kernel.use(['fox']);
      const parts = places.map(([start, length]) => ({ start: start - 50, end: start - 50 + length })).sort((a, b) =>
        a.start - b.start || a.end - b.end
      );
      const { starts, ends } = kernel.scan(given, tokenize).wordsOf(parts);
      const found = Array.from(starts, (start, i) => `${start} ${ends[i]!}`);
      const all = tokenize(given).map(({ start, end }) => [start, end] as const);
      expect(found).toEqual(all.map(([start, end]) => `${start} ${end}`).filter((word) => found.includes(word)));
      for (const [start, end] of all)
        if (parts.some((part) => start < part.end && end > part.start)) expect(found).toContain(`${start} ${end}`);
    }), { numRuns: build === 'debug' ? 120 : 300 });
  });

  it('are found for thousands of forms', () => {
    const forms = Array.from({ length: 4096 }, (_, i) => `w${i}`);
    const given = Array.from({ length: 9000 }, (_, i) => `W${i * 7 % 9000}`).join(' ');
    expect(scan(given, forms)).toEqual(markedWords(given, forms));
  });

  it('are none without forms, and for an empty form', () => {
    expect(scan('a fox', [])).toEqual({ words: [[0, 1], [2, 5]], marks: [] });
    expect(scan('a fox', ['']).marks).toEqual([]);
    expect(scan('', ['fox'])).toEqual({ words: [], marks: [] });
  });
});
