import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, unifiedDiff } from './line-diff.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 14 }).map((lines) =>
  lines.map((line) => `${line}\n`).join('')
);

/** Length of the longest common subsequence, computed with the usual table. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      table[i]![j] = a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  }
  return table[0]![0]!;
}

describe('diffLines', () => {
  it('holds both texts, and keeps as many lines as can be kept', () => {
    fc.assert(fc.property(text, text, (first, second) => {
      const lines = diffLines(first, second);
      const side = (other: string): string =>
        lines.filter(({ kind }) => kind !== other).map((line) => `${line.text}\n`).join('');
      expect([side('+'), side('-')]).toEqual([first, second]);
      expect(lines.filter(({ kind }) => kind === ' ').length).toBe(
        commonLines(first.split('\n').slice(0, -1), second.split('\n').slice(0, -1)),
      );
    }), { numRuns: 300 });
  });

  it('replaces everything where the texts have little in common', () => {
    const many = (name: string): string => Array.from({ length: 3000 }, (_, i) => `${name} ${i}\n`).join('');
    const lines = diffLines(`same\n${many('a')}`, `same\n${many('b')}`);
    expect([lines.length, lines[0], lines[1]]).toEqual([6001, { kind: ' ', text: 'same' }, { kind: '-', text: 'a 0' }]);
  });
});

describe('unifiedDiff', () => {
  it('shows changes with the lines around them, far ones apart', () => {
    const first = Array.from({ length: 12 }, (_, i) => `${i + 1}\n`).join('');
    const second = first.replace('2\n', 'two\n').replace('12\n', '12\n13\n');
    expect(unifiedDiff(diffLines(first, second), ['old', 'new'], 1)).toEqual(['--- old', '+++ new', '@@ -1,3 +1,3 @@',
      ' 1', '-2', '+two', ' 3', '@@ -12 +12,2 @@', ' 12', '+13']);
  });

  it('is empty where nothing differs, and counts from 0 where nothing was', () => {
    expect(unifiedDiff(diffLines('a\n', 'a\n'), ['x', 'y'])).toEqual([]);
    expect(unifiedDiff(diffLines('', 'a\n'), ['x', 'y'])).toEqual(['--- x', '+++ y', '@@ -0,0 +1 @@', '+a']);
  });
});
