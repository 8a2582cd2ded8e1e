import { describe, expect, it } from 'vitest';
import { compareLines, linesOf, unifiedDiff } from './diff.ts';

const many = (name: string): string => Array.from({ length: 3000 }, (_, i) => `${name} ${i}\n`).join('');

describe('compareLines', () => {
  it('lists removed lines before added ones', () => {
    expect(compareLines('same\nold\nlast', 'same\nnew\nlast\n')).toMatchObject([{
      value: 'same\n',
      added: false,
      removed: false,
    }, { value: 'old\n', removed: true }, { value: 'new\n', added: true }, {
      value: 'last\n',
      added: false,
      removed: false,
    }]);
  });

  it('replaces everything where the texts have little in common', () => {
    const changes = compareLines(many('a'), many('b'));
    expect(changes.map(({ value, removed, added }) => [linesOf(value).length, removed, added])).toEqual([[3000, true,
      false], [3000, false, true]]);
  });
});

describe('unifiedDiff', () => {
  it('shows changes with the lines around them, far ones apart', () => {
    const first = Array.from({ length: 12 }, (_, i) => `${i + 1}\n`).join('');
    const second = first.replace('2\n', 'two\n').replace('12\n', '12\n13\n');
    expect(unifiedDiff(first, second, ['old', 'new'])).toEqual(['--- old', '+++ new', '@@ -1,5 +1,5 @@', ' 1', '-2',
      '+two', ' 3', ' 4', ' 5', '@@ -10,3 +10,4 @@', ' 10', ' 11', ' 12', '+13']);
  });

  it('is empty where nothing differs, and counts from 0 where nothing was', () => {
    expect(unifiedDiff('a\n', 'a', ['x', 'y'])).toEqual([]);
    expect(unifiedDiff('', 'a\n', ['x', 'ÿ'])).toEqual(['--- x', '+++ ÿ', '@@ -0,0 +1,1 @@', '+a']);
  });

  it('replaces everything where the texts have little in common', () => {
    const lines = unifiedDiff(many('a'), many('b'), ['x', 'y']);
    expect([lines.length, ...lines.slice(0, 4)]).toEqual([6003, '--- x', '+++ y', '@@ -1,3000 +1,3000 @@', '-a 0']);
  });
});
