import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeFloats, encodeFloats } from './base64-floats.ts';

it('decodes what it encodes', () => {
  fc.assert(fc.property(fc.float32Array(), (numbers) => {
    expect(decodeFloats(encodeFloats(numbers))).toEqual(Float32Array.from(numbers));
  }));
});

it.each(['AAAA', 'AAAAAA', 'AAAAAA==!', 'AA AAAA==', 'no base64', '!!!!'])('refuses %j', (text) => {
  expect(decodeFloats(text)?.length ?? 0).toBe(text === 'AAAAAA' ? 1 : 0);
});

it('accepts padding and none', () => {
  expect(decodeFloats('AACAPw==')).toEqual(Float32Array.of(1));
  expect(decodeFloats('AACAPw')).toEqual(Float32Array.of(1));
  expect(decodeFloats('')).toEqual(new Float32Array(0));
});
