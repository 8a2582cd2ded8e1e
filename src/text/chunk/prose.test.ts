import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, chunkProse } from './index.ts';

function textsOf(text: string, budget: number): string[] {
  const bytes = Buffer.from(text);
  return chunkProse(text, budget).map(({ start, end }) => bytes.subarray(start, end).toString());
}

describe('chunkProse (decisions section 4.3, "Prose chunks")', () => {
  it.each([['a text within the budget', 'One.\n\nTwo.\n', 100, ['One.\n\nTwo.']], ['an empty text', '', 10, []], [
    'a blank text',
    ' \n\t\n',
    10,
    [],
  ], ['headings', '# A\n\nText of a.\n\n# B\n\nText of b.\n', 30, ['# A\n\nText of a.', '# B\n\nText of b.']], [
    'short sections, which share a chunk',
    '# A\n\na\n\n# B\n\nb\n\n# C\n\nc',
    16,
    ['# A\n\na\n\n# B\n\nb', '# C\n\nc'],
  ], ['a heading with its subheading', 'Intro of the page.\n\n# A\n## B\nText.', 20, ['Intro of the page.',
    '# A\n## B\nText.']], ['a heading that stays with what follows', 'First paragraph.\n\n# A\n\nSecond one.', 24, [
    'First paragraph.',
    '# A\n\nSecond one.',
  ]], ['paragraphs', 'First one.\nSame.\n\nSecond one.\n\nThird one.', 32, ['First one.\nSame.\n\nSecond one.',
    'Third one.']], ['sentences', 'One two three. Four five! Six seven? Eight.', 26, ['One two three. Four five!',
    'Six seven? Eight.']], ['sentences that end in quotes', 'He said "no." She left. Then', 15, ['He said "no."',
    'She left. Then']], ['abbreviations', 'Fruit, e.g. apples. More', 20, ['Fruit, e.g. apples.', 'More']], [
    'sentences without spaces',
    '今日は晴れ。明日は雨。終わり。',
    10,
    ['今日は晴れ。', '明日は雨。終わり。'],
  ], ['list items', '- one two\n- three four\n- five', 23, ['- one two\n- three four', '- five']], ['words',
    'alpha beta gamma delta', 12, ['alpha beta', 'gamma delta']], ['the middle of a word', 'abcdefghij', 4, ['abcd',
    'efgh', 'ij']], ['characters, not bytes', 'ééééé😀😀', 4, ['éééé', 'é😀😀']], ['indentation, which is kept',
    'A text.\n\n    code();', 14, ['A text.', '    code();']], ['blank lines and ends of lines',
    '\n\n  \r\nOne.\r\n\r\nTwo.\r\n', 6, ['One.', 'Two.']], ['code blocks, in which `#` is no heading',
    'Text here.\n\n```sh\n# a\n\n# b\n```\n\nMore.', 24, ['Text here.', '```sh\n# a\n\n# b\n```', 'More.']], [
    'a code block that is too large',
    '```\naaaa\nbbbb\ncccc\n```',
    14,
    ['```\naaaa\nbbbb', 'cccc\n```'],
  ], ['`#` without a space', 'Text of it.\n#tag and\n\n#more tags', 22, ['Text of it.\n#tag and', '#more tags']]])(
    'cuts %s',
    (_what, text, budget, chunks) => {
      expect(textsOf(text, budget)).toEqual(chunks);
    },
  );

  it('numbers lines from 1, inclusive, and counts bytes', () => {
    expect(chunkProse('\nÄ eins.\nzwei.\n\ndrei.\n', 16)).toEqual<Chunk[]>([{
      start: 1,
      end: 15,
      startLine: 2,
      endLine: 3,
    }, { start: 17, end: 22, startLine: 5, endLine: 5 }]);
  });

  it('covers all but whitespace, within the budget, at character boundaries', () => {
    const text = fc.array(
      fc.oneof(fc.constantFrom('# A\n', '\n\n', '\n', ' ', '. ', 'word', '```\n', '- '),
        fc.string({ unit: 'binary', maxLength: 6 })),
      { maxLength: 60 },
    );
    fc.assert(fc.property(text.map((parts) => parts.join('')), fc.integer({ min: 1, max: 60 }), (body, budget) => {
      const bytes = Buffer.from(body);
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      let last = 0;
      for (const { start, end, startLine, endLine } of chunkProse(body, budget)) {
        const chunk = decoder.decode(bytes.subarray(start, end));
        expect([...chunk].length).toBeLessThanOrEqual(budget);
        expect(chunk).toMatch(/[^ \t\n\v\f\r]$/);
        expect(bytes.subarray(last, start).toString()).toMatch(/^[ \t\n\v\f\r]*$/);
        expect(startLine).toBe(bytes.subarray(0, start).toString().split('\n').length);
        expect(endLine).toBe(bytes.subarray(0, end).toString().split('\n').length);
        last = end;
      }
      expect(bytes.subarray(last).toString()).toMatch(/^[ \t\n\v\f\r]*$/);
    }), { numRuns: 300 });
  });
});
