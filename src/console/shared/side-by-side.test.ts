import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffRow, sideBySide } from './side-by-side.ts';

const textOf = (rows: readonly DiffRow[], side: 'left' | 'right'): string[] =>
  rows.flatMap((
    row,
  ) => ('gap' in row || row[side] === undefined ? [] : [row[side].pieces.map(({ text }) => text).join('')]));

describe('sideBySide', () => {
  it('shows which words of a line have changed', () => {
    expect(sideBySide('one\ntwo green apples\n', 'one\ntwo red apples\n')[1]).toEqual({
      left: {
        line: 2,
        isChanged: true,
        pieces: [{ text: 'two ', isChanged: false }, { text: 'green', isChanged: true }, {
          text: ' apples',
          isChanged: false,
        }],
      },
      right: {
        line: 2,
        isChanged: true,
        pieces: [{ text: 'two ', isChanged: false }, { text: 'red', isChanged: true }, {
          text: ' apples',
          isChanged: false,
        }],
      },
    });
  });

  it('puts added and removed lines beside nothing', () => {
    expect(sideBySide('a\nb\n', 'b\nc\n')).toMatchObject([{ left: { line: 1, isChanged: true } }, {
      left: { line: 2 },
      right: { line: 1, isChanged: false },
    }, { right: { line: 2, isChanged: true } }]);
  });

  it('leaves out equal lines far from changes', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const rows = sideBySide(['old', ...lines].join('\n'), ['new', ...lines].join('\n'));
    expect(rows).toContainEqual({ gap: 27 });
    expect(rows).toHaveLength(1 + 3 + 1);
  });

  it('shows every line of both texts that is not in a gap, in order', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c d', 'e f g'), { maxLength: 12 });
    fc.assert(fc.property(text, text, (before, after) => {
      const rows = sideBySide(before.join('\n'), after.join('\n'));
      const gaps = rows.reduce((sum, row) => ('gap' in row ? sum + row.gap : sum), 0);
      for (const [side, lines] of [['left', before], ['right', after]] as const) {
        expect(textOf(rows, side)).toHaveLength(lines.length - gaps);
        if (gaps === 0) expect(textOf(rows, side)).toEqual(lines);
      }
    }));
  });
});
