import { expect, it } from 'vitest';
import { scriptText } from './scripts.ts';

it.each([
  ['6', 'super', 'Take 10', '⁶'],
  ['-2', 'super', '5 m', '⁻²'],
  ['2', 'sub', 'CO', '₂'],
  ['a+1', 'super', 'x', '^(a+1)'],
  ['n', 'super', 'x', 'ⁿ'],
  ['max', 'sub', 'V', '_max'],
  ['th', 'super', 'the 19', 'th'],
  ['e', 'super', 'le XIX', 'e'],
  ['me', 'super', 'M', 'me'],
  ['TM', 'super', 'Quire', 'TM'],
  ['a,b', 'super', 'Smith', '^a,b'],
  ['12', 'super', 'as known', '^12'],
  ['12', 'super', 'as known.', '¹²'],
  ['small print', 'super', 'The ', 'small print'],
  [' 2 ', 'super', 'x', ' ² '],
  ['', 'super', 'x', ''],
] as const)('writes %j as %s-script after %j as %j', (value, place, before, wanted) => {
  expect(scriptText(value, place, before)).toBe(wanted);
});
