import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, linesOf } from './lines.ts';

async function read(pieces: readonly Uint8Array[], maxBytes = 1000): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const some of linesOf((async function*() {
    yield* pieces;
  })(), maxBytes)) lines.push(...some);
  return lines;
}

describe('the lines of a stream', () => {
  it('are the same however it is cut', async () => {
    const text = fc.array(fc.constantFrom('a', 'é', '🧭', '\n', '\r\n', ' ', '{}'), { maxLength: 60 }).map((parts) =>
      parts.join('')
    );
    await fc.assert(fc.asyncProperty(text, fc.array(fc.nat(80)), async (whole, cuts) => {
      const bytes = Buffer.from(whole);
      const ends = [...new Set([...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
      const pieces = ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
      const expected = whole.split('\n').map((line, i) => ({ number: i + 1, text: line })).filter((line) =>
        line.text.trim() !== ''
      );
      expect(await read(pieces)).toEqual(expected);
    }));
  });

  it('keep nothing of one that is too long, and go on behind it', async () => {
    const pieces = ['12345', '67890', '1\nab', 'cde\n', '0123456789\n', 'x'.repeat(11)].map((piece) =>
      Buffer.from(piece)
    );
    expect(await read(pieces, 10)).toEqual([{ number: 1, text: undefined }, { number: 2, text: 'abcde' }, {
      number: 3,
      text: '0123456789',
    }, { number: 4, text: undefined }]);
  });

  it('have a lone surrogate for each byte that is no UTF-8', async () => {
    const [line] = await read([Buffer.from([0x61, 0xff, 0x62])]);
    expect(line!.text).toBe('a\udcffb');
  });
});
