import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepJson, toJson } from './kept-json.ts';

describe('JSON with kept parts', () => {
  const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.string({ unit: 'grapheme' }), fc.double(),
      fc.constantFrom<unknown>(null, undefined, true, -7.390527e-281, '-7.390527e-281', '\ud800'),
      fc.array(tie('value')), fc.dictionary(fc.string(), tie('value')),
      fc.tuple(
        fc.oneof(fc.array(tie('value')), fc.dictionary(fc.string().filter((name) => name !== 'toJSON'), tie('value'))),
        fc.boolean(),
      ).map(([part, isKept]) => {
        if (isKept) keepJson(part);
        return part;
      })),
  }));

  it('is what JSON.stringify makes', () => {
    fc.assert(fc.property(anything, fc.array(anything), (one, list) => {
      for (const answer of [one, { results: list }]) {
        const expected = JSON.stringify(answer) as string | undefined;
        const json = toJson(answer);
        expect(Buffer.isBuffer(json) ? json : Buffer.from(json ?? '-')).toEqual(Buffer.from(expected ?? '-'));
      }
    }));
  });

  it('copies the kept bytes', () => {
    const part = [{ a: 'ä…' }];
    expect(keepJson(part)).toBe(15);
    // Only to see that the bytes are used: a kept part must not be changed.
    part.push({ a: 'b' });
    expect(String(toJson({ n: 1, results: [{ part, b: undefined, c: 'x' }, { part }], z: null }))).toBe(
      '{"n":1,"results":[{"part":[{"a":"ä…"}],"c":"x"},{"part":[{"a":"ä…"}]}],"z":null}',
    );
    expect(JSON.stringify({ part })).toBe('{"part":[{"a":"ä…"},{"a":"b"}]}');
    expect(toJson({ n: 1 })).toBe('{"n":1}');
  });

  it('is correct after a value that cannot be written', () => {
    const part = [1];
    keepJson(part);
    expect(() => toJson({ part, n: 1n })).toThrow(TypeError);
    expect(JSON.stringify(part)).toBe('[1]');
  });
});
