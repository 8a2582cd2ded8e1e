import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeLevels } from '../text/chunk/code.ts';
import { chunkCode, chunkProse, lexicalProfile, withoutMarkup } from '../text/chunk/index.ts';
import { charactersOf, pack } from '../text/chunk/pack.ts';
import { ChunkKernel } from './chunk.ts';

const BUILDS = (['release', 'debug'] as const).map((build) => ({ build, kernel: new ChunkKernel(build) }));

/** Texts composed of the elements of the rules, so that random texts often match them. */
function textOf(pieces: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) },
    fc.string({ unit: 'binary', maxLength: 3 }), fc.string({ maxLength: 8 }));
  return fc.array(piece, { maxLength: 80, size: 'max' }).map((parts) => parts.join(''));
}

const markdown = textOf(['# ', '\n# Title\n', '## ', '#', '\n\n', '\n', '\r\n', '\n   \n', ' ', '  ', '\t', '    ',
  '```', '\n```\n', '````', '~~~', '\n~~~~ js\n', '`', '- ', '12. ', '1) ', '| ', '> ', '.', '. ', '! ', '?"', '."',
  '…', '。', '」', '！', 'e.g. this', 'Word', 'word ', 'Ein Satz. Noch einer.\n', 'été', '名前', '한국어', 'カナ', '😀',
  'a longer sentence of several words, ', '\u3000']);

const code = textOf(['{', '}', '(', ')', '[', ']', '{ }', '()', '{\n', '\n}\n', '"', "'", '`', '${', '"""', "'''", '\\',
  '\\\n', '//', '/*', '*/', '/', '#', ' #', '--', '--[[', '[[', ']]', '<!--', '-->', ':', '\n', '\n\n', '\r\n', '  ',
  ' ', '\t', 'x', 'return ', 'typeof', 'instanceof ', '= ', '=> ', '> ', '</a>', '(/[/}]/g)', "'a", "'\\n'", "'{'",
  "'é'", 'function f() {\n  g();\n}\n', 'é', '😀', 'a;b;']);

const markup = textOf(['# ', '\n## Title\n', '\n> quoted', '> # ', '\n', '\n\n', '\r\n', ' ', '\t', '```', '\n```js\n',
  '\n~~~\n', '\n  ````\n', '`', '``', '*', '_', '[', ']', '](', '](a (b) "c")', '(', ')', '![', '!', '|', '{{', '}}',
  '{', '}', '{{name("a", \'b\')}}', '"', "'", '<', '>', '<b>', '</b', '<a href="x">', '<!--', '-->', '&', '&lt;',
  '&#x20;', ';', '#', 'http', 'https://a.b/c?d=(e)', '://', 'word', 'été', '😀', 'x'.repeat(990)]);

const budget = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 400 }));
const profile = fc.oneof(fc.integer({ min: 0, max: 0x3fff }),
  fc.constantFrom('javascript', 'python', 'rust', 'go', 'sql', 'lua', 'html', 'scss', '').map(lexicalProfile));

describe.each(BUILDS)('the $build build and its twin', ({ kernel }) => {
  it('cut markdown at the same places', () => {
    fc.assert(fc.property(markdown, budget, fc.boolean(), (text, size, dense) => {
      expect(kernel.prose(text, size, dense)).toEqual(chunkProse(text, size, dense));
    }), { numRuns: 1500 });
  });

  it('remove the same markup', () => {
    fc.assert(fc.property(fc.oneof(markup, markdown), (text) => {
      expect(kernel.withoutMarkup(text).toString()).toBe(withoutMarkup(text));
    }), { numRuns: 1500 });
  });

  it('cut source code at the same places, whatever the profile', () => {
    fc.assert(fc.property(code, profile, budget, (text, bits, size) => {
      const characters = charactersOf(text);
      expect(kernel.code(text, bits, size)).toEqual(pack(characters, codeLevels(characters, bits, size), size, true));
    }), { numRuns: 2500 });
  });

  it('cut their own sources at the same places', () => {
    for (const name of ['code', 'lexer', 'pack', 'prose']) {
      const text = readFileSync(new URL(`../text/chunk/${name}.ts`, import.meta.url), 'utf8');
      for (const size of [40, 500, 1500]) {
        expect(kernel.code(text, lexicalProfile('typescript'), size)).toEqual(chunkCode(text, 'typescript', size));
        expect(kernel.prose(text, size)).toEqual(chunkProse(text, size));
      }
    }
  });

  it('stay within their memory on bytes that are no UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 0x3fff }), budget,
        (bytes, bits, size) => {
          for (const chunks of [kernel.prose(bytes, size), kernel.code(bytes, bits, size)]) {
            let last = 0;
            for (const { start, end } of chunks) {
              expect(start).toBeGreaterThanOrEqual(last);
              expect(end).toBeGreaterThan(start);
              last = end;
            }
            expect(last).toBeLessThanOrEqual(bytes.length);
          }
        }),
    );
  });

  it('give more chunks than the output holds at a time', () => {
    expect(kernel.prose('word '.repeat(10_000), 4)).toHaveLength(10_000);
    expect(kernel.prose('word\n'.repeat(10_000), 4).at(-1)).toEqual({
      start: 49_995,
      end: 49_999,
      startLine: 10_000,
      endLine: 10_000,
    });
  });

  it('take a large text after a small one, and a small one after that', () => {
    const size = 12 * 1024 * 1024;
    expect(kernel.prose('a', 10)).toHaveLength(1);
    expect(kernel.prose('x'.repeat(size), size)).toEqual([{ start: 0, end: size, startLine: 1, endLine: 1 }]);
    expect(kernel.prose('a', 10)).toHaveLength(1);
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity])('refuse a budget of %s', (size) => {
    expect(() => kernel.prose('a', size)).toThrow(RangeError);
  });
});
