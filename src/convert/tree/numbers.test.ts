import { expect, it } from 'vitest';
import { formatNumber, markOf } from './numbers.ts';

it.each([
  ['lower-letter', [1, 26, 27, 53], 'a z aa aaa'],
  ['upper-roman', [4, 9, 1999], 'IV IX MCMXCIX'],
  ['ordinal', [1, 2, 11, 23], '1st 2nd 11th 23rd'],
  ['zero', [3, 12], '03 12'],
  ['circle', [1, 21], '① 21'],
  ['chinese', [1, 10, 11, 20, 105, 110], '一 十 十一 二十 一百〇五 一百一十'],
  ['lower-letter', [0, -1, 1e9], '0 -1 1000000000'],
] as const)('writes %s numbers', (format, numbers, wanted) => {
  expect(numbers.map((number) => formatNumber(number, format)).join(' ')).toBe(wanted);
});

it('tells numbers of markdown from labels', () => {
  const labels = ['1.', '2)', '3', '(4)', 'a.', '1.2.', '', '08.'];
  expect(labels.filter((label, at) => markOf(label, at + 1).ordered)).toEqual(['1.', '2)', '3']);
});
