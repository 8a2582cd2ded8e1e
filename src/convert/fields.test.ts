import { expect, it } from 'vitest';
import { linkOfField, textOfField } from './fields.ts';

it.each([
  ['HYPERLINK "https://e.example/my file.pdf"', 'https://e.example/my file.pdf'],
  [' hyperlink https://e.example/ \\o "A tip" ', 'https://e.example/'],
  ['HYPERLINK \\o "A tip" \\t "_blank" "https://e.example/" \\l "part"', 'https://e.example/#part'],
  ['HYPERLINK "\\\\\\\\server\\\\share"', '\\\\server\\share'],
  ['HYPERLINK \\l "part"', undefined],
  ['REF part \\h', undefined],
])('reads the address of %j', (instruction, wanted) => {
  expect(linkOfField(instruction)).toBe(wanted);
});

it.each([
  ['SYMBOL 252 \\f "Wingdings" \\s 12', '✓'],
  ['SYMBOL 64', '@'],
  ['EQ \\* jc2 \\* "Font:MS Mincho" \\* hps10 \\o\\ad(\\s\\up 9(とう),東)', '東'],
  ['EQ \\f(1,\\r(,x))', '1/√(x)'],
  ['EQ \\o(a,b) \\b\\bc\\[(c;d) e)', 'ab (c, d) e)'],
  ['PAGE', undefined],
])('reads what %j shows', (instruction, wanted) => {
  expect(textOfField(instruction)).toBe(wanted);
});

it('ends in nested and open brackets', () => {
  expect(textOfField(`EQ ${'\\f('.repeat(1600)}`)).toMatch(/^\(*$/);
});
