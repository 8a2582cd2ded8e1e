import { describe, expect, it } from 'vitest';
import { fitText, plainLine, renderTable, textWidth } from './output.ts';

describe('textWidth', () => {
  it.each([['abc', 3], ['', 0], ['日本語', 6], ['e\u0301', 1], ['😀', 2], ['👩‍👩‍👧', 2], ['\u200b', 0]])(
    '%j takes %i columns',
    (text, width) => expect(textWidth(text)).toBe(width),
  );
});

describe('fitText', () => {
  it.each([['abc', 5, 'abc  '], ['abc', 3, 'abc'], ['abcd', 3, 'ab…'], ['日本語', 5, '日本…'], ['日本語', 4, '日… '], [
    'abc',
    0,
    '',
  ]])('%j in %i columns', (text, columns, expected) => expect(fitText(text, columns)).toBe(expected));
});

describe('plainLine', () => {
  it('keeps control characters from the terminal', () =>
    expect(plainLine(' a\u001b[2J\n\tb\u009b1m ')).toBe('a [2J b 1m'));
});

describe('renderTable', () => {
  const columns = [{ heading: 'key', minimum: 4 }, { heading: 'title', minimum: 6 }];

  it('makes columns as wide as their texts', () => {
    expect(renderTable(columns, [['a', 'One'], ['longer', 'Two']])).toEqual(['key     title', '──────  ─────',
      'a       One', 'longer  Two']);
  });

  it('takes room from the widest column first, and fits', () => {
    const lines = renderTable(columns, [['a-key', 'a very long title indeed']], 20);
    expect(lines[2]).toBe('a-key  a very long …');
    expect(lines.every((line) => textWidth(line) <= 20)).toBe(true);
  });

  it('keeps the minimums even when that is too wide', () => {
    expect(renderTable(columns, [['abcdefgh', 'abcdefgh']], 3)[2]).toBe('abc…  abcde…');
  });
});
