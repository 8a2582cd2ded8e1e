import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

function split(bytes: Buffer, maxBytes: number, sizes: readonly number[] = []): string[] {
  const splitter = new LineSplitter(maxBytes);
  const lines: string[] = [];
  let at = 0;
  for (const size of sizes) lines.push(...splitter.push(bytes.subarray(at, at += size)));
  return [...lines, ...splitter.push(bytes.subarray(at)), ...splitter.flush()];
}

/** The final state of a line on a terminal, without limits. */
function lastSegment(line: string): string {
  return line.replace(/\r+$/, '').replace(/^.*\r/s, '');
}

const bytesOf = fc.array(
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom('a', 'bc', 'ä', '€', '😀').map((text) => Buffer.from(text)) }, {
    weight: 2,
    arbitrary: fc.constantFrom('\n', '\r', '\r\n').map((text) => Buffer.from(text)),
  }, { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }).map((bytes) => Buffer.from(bytes)) }),
  { maxLength: 60 },
).map((parts) => Buffer.concat(parts));

describe('LineSplitter', () => {
  it('keeps the last segment of each line, like a terminal', () => {
    fc.assert(fc.property(bytesOf, (bytes) => {
      const lines = bytes.toString().split('\n').map(lastSegment);
      if (lines.at(-1) === '') lines.pop(); // nothing after the last line feed
      expect(split(bytes, 10_000)).toEqual(lines);
    }), { numRuns: 500 });
  });

  it('makes the same lines however the bytes are cut into chunks', () => {
    fc.assert(
      fc.property(bytesOf, fc.integer({ min: 4, max: 20 }), fc.array(fc.nat(5), { maxLength: 40 }),
        (bytes, maxBytes, sizes) => {
          expect(split(bytes, maxBytes, sizes)).toEqual(split(bytes, maxBytes));
        }),
      { numRuns: 500 },
    );
  });

  it('never makes a line longer than the limit, nor cuts a character', () => {
    fc.assert(fc.property(bytesOf, fc.integer({ min: 4, max: 20 }), (bytes, maxBytes) => {
      for (const line of split(bytes, maxBytes)) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(maxBytes);
    }), { numRuns: 500 });
    const text = 'ä€😀'.repeat(50);
    expect(split(Buffer.from(text), 16).join('')).toBe(text);
  });

  it('returns a line as soon as its line feed is there, and the rest when asked', () => {
    const splitter = new LineSplitter(100);
    expect(splitter.push(Buffer.from('one\r\ntw'))).toEqual(['one']);
    expect(splitter.flush()).toEqual(['tw']);
    expect(splitter.push(Buffer.from('o\n\n'))).toEqual(['o', '']);
    expect(splitter.flush()).toEqual([]);
  });

  it('does not end a line that is just as long as the limit twice', () => {
    expect(split(Buffer.from('12345678\nab'), 8)).toEqual(['12345678', 'ab']);
  });

  it('shows an incomplete line before its end: no part twice, no character cut, and no empty line for its end', () => {
    const splitter = new LineSplitter(100);
    const say = (text: string | Buffer): string[] => [...splitter.push(Buffer.from(text)), ...splitter.pause()];
    expect(say('Password: ')).toEqual(['Password: ']);
    expect(splitter.pause()).toEqual([]);
    expect(say('\nnext\n')).toEqual(['next']);
    expect(say('half \u20ac'.slice(0, 5))).toEqual(['half ']);
    const euro = Buffer.from('\u20ac');
    expect(say(Buffer.concat([Buffer.from('x'), euro.subarray(0, 2)]))).toEqual(['x']);
    expect(say(Buffer.concat([euro.subarray(2), Buffer.from('\n\n')]))).toEqual(['\u20ac', '']);
    expect(say('50%\r')).toEqual(['50%']);
    expect(say('60%\r\n')).toEqual(['60%']);
  });
});
