import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkCode } from './index.ts';

function textsOf(text: string, language: string, budget: number): string[] {
  const bytes = Buffer.from(text);
  return chunkCode(text, language, budget).map(({ start, end }) => bytes.subarray(start, end).toString());
}

const F = 'function f() {\n  return 1;\n}';
const G = 'function g() {\n  return 2;\n}';

describe('chunkCode (contract, "Code documents")', () => {
  it.each([['nothing that is within the budget', 'javascript', `${F}\n\n${G}\n`, 100, [`${F}\n\n${G}`]], [
    'between functions',
    'javascript',
    `${F}\n\n${G}\n`,
    50,
    [F, G],
  ], ['not inside an oversized construct', 'javascript', `let a;\n${F}\n${G}`, 10, ['let a;', F, G]], [
    'a minified line behind the last balanced brace',
    'javascript',
    'function a(){b()}function c(){d()}function e(){}',
    36,
    ['function a(){b()}function c(){d()}', 'function e(){}'],
  ], ['behind a statement whose last line is short', 'javascript',
    'const a = {\n  b: 1,\n};\nif (a) {\n  b();\n} else {\n  c();\n}', 10, ['const a = {\n  b: 1,\n};',
    'if (a) {\n  b();\n} else {\n  c();\n}']], ['minified style sheets', 'css',
    '.a{b:c}.d{e:f}@media x{.g{h:i}.j{k:l}}.m{n:o}', 15, ['.a{b:c}.d{e:f}', '@media x{.g{h:i}.j{k:l}}', '.m{n:o}']], [
    'not at braces in strings',
    'javascript',
    'f("}", {\n  a: 1,\n});\n\ng();',
    10,
    ['f("}", {\n  a: 1,\n});', 'g();'],
  ], ['not at braces in comments', 'javascript', 'f({ // }\n  a: 1, /* )}\n  */ b: 2,\n});\n\ng();', 10, [
    'f({ // }\n  a: 1, /* )}\n  */ b: 2,\n});',
    'g();',
  ]], ['not inside a template literal', 'javascript', 'const t = `\na ${ { x: `\n}` } }\nb\n`;\ng();', 10, [
    'const t = `\na ${ { x: `\n}` } }\nb\n`;',
    'g();',
  ]], ['not at brackets in regular expressions', 'typescript', 'const r = /[/{(]/g, s = [\n1,\n2];\ng();', 10, [
    'const r = /[/{(]/g, s = [\n1,\n2];',
    'g();',
  ]], ['divisions, which are no regular expressions', 'javascript', 'a = b / (c\n) / d;\ng();', 8, [
    'a = b / (c\n) / d;',
    'g();',
  ]], ['not between a comment and what it explains', 'javascript', 'a();\nb();\n/** Doc. */\nfunction c() {}', 30, [
    'a();\nb();',
    '/** Doc. */\nfunction c() {}',
  ]], ['inside a comment that is too long', 'javascript', '/*\n aaaa bbbb\n cccc dddd\n*/\nf();', 14, ['/*\n aaaa bbbb',
    ' cccc dddd\n*/', 'f();']], ['lifetimes, which are no strings', 'rust',
    "fn f<'a>(x: &'a str) {\n  g('{');\n}\nfn h() {}", 20, ["fn f<'a>(x: &'a str) {\n  g('{');\n}", 'fn h() {}']], [
    'Python between definitions',
    'python',
    'def f(a):\n    """Doc (.\n\n    More."""\n    return [\n1]\n\ndef g():\n    pass',
    60,
    ['def f(a):\n    """Doc (.\n\n    More."""\n    return [\n1]', 'def g():\n    pass'],
  ], ['Go with raw strings', 'go', 'var s = `{\n"(`\n\nfunc f() {\n}', 14, ['var s = `{\n"(`', 'func f() {\n}']], [
    'SQL with its comments',
    'sql',
    "-- it's (\nSELECT 1;\n\nSELECT ')' FROM (\n  t\n);",
    22,
    ["-- it's (\nSELECT 1;", "SELECT ')' FROM (\n  t\n);"],
  ], ['Lua with long brackets', 'lua', 'x = [[ (\n\n{ ]]\n\ny = 1', 8, ['x = [[ (\n\n{ ]]', 'y = 1']], ['HTML', 'html',
    "<p>:( it's</p>\n<div {\n<!-- } -->\n}>\n<p>b</p>", 15, ["<p>:( it's</p>", '<div {\n<!-- } -->\n}>', '<p>b</p>']], [
    'behind a bracket that nothing closes',
    'c',
    'int a[] = {\n\n#if X\nint f() {}\n',
    18,
    ['int a[] = {', '#if X\nint f() {}'],
  ], ['behind a bracket that nothing opens', 'c', '}\nint f() {}\n', 10, ['}', 'int f() {}']], [
    'strings that do not end',
    'javascript',
    "a = 'b {\nc();\nd();",
    9,
    ["a = 'b {", 'c();\nd();'],
  ], ['nothing', 'javascript', ' \n', 9, []]])('cuts %s', (_what, language, text, budget, chunks) => {
    expect(textsOf(text, language, budget)).toEqual(chunks);
  });

  it('reports lines and bytes', () => {
    expect(chunkCode(`// é\n${F}\n\n\n${G}`, 'javascript', 40)).toEqual([{
      start: 0,
      end: 34,
      startLine: 1,
      endLine: 4,
    }, { start: 37, end: 65, startLine: 7, endLine: 9 }]);
  });

  it('covers all but whitespace; chunks are balanced, and too large only where they hold one construct', () => {
    const construct: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof({ depthSize: 'small' }, fc.constantFrom('a;', 'b = 1;', '"}"', '// ]\n', '/* ( */'),
        fc.tuple(fc.constantFrom('{}', '()', '[]', '{\n\n}', '{ }\n'), fc.array(tie('node'), { maxLength: 4 })).map((
          [pair, inner],
        ) => pair[0]! + inner.join('\n') + pair.slice(1))),
    })).node;
    fc.assert(fc.property(fc.array(construct, { maxLength: 12 }), fc.integer({ min: 1, max: 60 }), (parts, budget) => {
      const text = parts.join('\n');
      const chunks = textsOf(text, 'javascript', budget);
      expect(chunks.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      for (const chunk of chunks) {
        const bare = chunk.replaceAll(/"\}"|\/\/ \]|\/\* \( \*\//g, '');
        for (const [open, close] of ['{}', '()', '[]'])
          expect(bare.split(open!).length).toBe(bare.split(close!).length);
      }
      for (const chunk of chunks.filter((each) => each.length > budget)) expect(topLevelPlaces(chunk)).toBe(0);
    }), { numRuns: 300 });
  });
});

/** Number of newlines in a chunk outside brackets and comments, where it could have been divided. */
function topLevelPlaces(chunk: string): number {
  let depth = 0;
  let places = 0;
  for (const character of chunk.replaceAll(/"\}"|\/\/ \]|\/\* \( \*\//g, (text) => 'x'.repeat(text.length))) {
    if ('{(['.includes(character)) depth += 1;
    if ('})]'.includes(character)) depth -= 1;
    if (character === '\n' && depth === 0) places += 1;
  }
  return places;
}
