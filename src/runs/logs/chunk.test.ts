import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Chunk, CHUNK_EVENTS, decodeEvent, encodeEvent, eventsOf, fillChunks, packChunk, packOpenChunk,
  splitMessage, unpackChunk } from './chunk.ts';
import type { ShipLine } from './port.ts';

const event: fc.Arbitrary<ShipLine> = fc.record<ShipLine, keyof Omit<ShipLine, 'stepState'>>({
  unixMs: fc.integer({ min: 0, max: 4e12 }),
  level: fc.constantFrom('debug' as const, 'info' as const, 'warn' as const, 'error' as const),
  stream: fc.constantFrom('stdout' as const, 'stderr' as const, 'system' as const),
  step: fc.option(fc.string({ maxLength: 10 })),
  message: fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.constantFrom('a\nb', 'a\r\n\u2028', '"\\', '')),
  stepState: fc.constantFrom('running' as const, 'succeeded' as const, 'stopped' as const),
}, { requiredKeys: ['unixMs', 'level', 'stream', 'step', 'message'] });

const read = (chunks: readonly Chunk[], pack = packChunk) =>
  chunks.flatMap((chunk) => eventsOf(unpackChunk(pack(chunk)), chunk.count).map(decodeEvent));

describe('chunks', () => {
  it('hold what was put in, in however many turns', () => {
    fc.assert(fc.property(fc.array(fc.array(event, { maxLength: 150 }), { maxLength: 6 }), (turns) => {
      const chunks: Chunk[] = [];
      for (const turn of turns) {
        const last = chunks.at(-1);
        const filled = fillChunks(last, chunks.reduce((sum, { count }) => sum + count, 0), turn.map(encodeEvent));
        if (last !== undefined && filled[0]?.firstOffset === last.firstOffset) chunks.pop();
        chunks.push(...filled);
      }
      for (const pack of [packChunk, packOpenChunk]) expect(read(chunks, pack)).toEqual(turns.flat());
      expect(chunks.slice(0, -1).every(({ count }) => count === CHUNK_EVENTS)).toBe(true);
      for (const [i, { firstOffset }] of chunks.entries()) expect(firstOffset).toBe(i * CHUNK_EVENTS);
    }), { numRuns: 30 });
  });

  it('refuse what is no chunk, has other events than it should, or holds something else', () => {
    const [chunk] = fillChunks(undefined, 0, ['[1,0,0,null,"a"]', '[1,0,0,null,"b"]']);
    expect(() => unpackChunk(Buffer.from('nonsense'))).toThrow();
    for (const pack of [packChunk, packOpenChunk]) {
      const body = pack(chunk!);
      expect(() => unpackChunk(body.subarray(0, -1))).toThrow();
      expect(() => unpackChunk(Uint8Array.from(body, (byte, at) => (at === body.length - 3 ? byte ^ 1 : byte))))
        .toThrow();
    }
    expect(() => unpackChunk(Uint8Array.of(0x52, 1))).toThrow();
    expect(() => eventsOf(chunk!.text, 3)).toThrow('it should hold 3 events and has 2');
    for (const text of ['[1,9,0,null,"a"]', '[1,0,7,null,"a"]', '[1,0,0,null]', '["x",0,0,null,"a"]', '{}', ''])
      expect(() => decodeEvent(text), text).toThrow();
  });
});

describe('splitMessage', () => {
  it('makes the fewest pieces that are short enough, and loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 4, max: 60 }), (text, maxBytes) => {
        const pieces = splitMessage(text, maxBytes);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(maxBytes);
        // No piece has space for the first character of the next one.
        for (const [i, piece] of pieces.slice(1).entries())
          expect(Buffer.byteLength(pieces[i]! + [...piece][0]!)).toBeGreaterThan(maxBytes);
      }),
    );
  });

  it('keeps an empty line, and a character that is longer than the limit', () => {
    expect(splitMessage('', 10)).toEqual(['']);
    expect(splitMessage('🙂🙂', 1)).toEqual(['🙂', '🙂']);
  });
});
