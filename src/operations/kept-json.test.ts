import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepJson, toJson, withKeptJson } from './kept-json.ts';

describe('JSON with kept parts', () => {
  const values = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.record({ a: fc.option(fc.string(), { nil: undefined }) }), fc.array(fc.constant(undefined)));
  const items = fc.dictionary(fc.string(), fc.tuple(values, fc.boolean()));

  it('is what JSON.stringify makes', () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), values), fc.array(items), fc.string(), (answer, list, name) => {
      const results = list.map((item) => Object.fromEntries(Object.entries(item).map(([field, [value, isKept]]) => {
        if (isKept && typeof value === 'object' && value !== null) expect(keepJson(value)).toBe(JSON.stringify(value));
        return [field, value];
      })));
      const whole = { ...answer, [name]: withKeptJson(results) };
      expect(toJson(whole)).toBe(JSON.stringify(whole));
    }));
  });

  it.each([[undefined], [null], [1], ['ä'], [[1, undefined]], [{ a: undefined, b: [{}] }]])('leaves %j to JSON.stringify', (value) => {
    expect(toJson(value)).toBe(JSON.stringify(value));
  });

  it('writes a part from its kept text', () => {
    const part = { a: [1] };
    keepJson(part);
    // Only to see that the text is used: a part must not be changed.
    part.a.push(2);
    expect(toJson({ n: 1, results: withKeptJson([{ part, b: undefined, c: 'x' }]), z: null })).toBe('{"n":1,"results":[{"part":{"a":[1]},"c":"x"}],"z":null}');
    expect(toJson({ results: [{ part }] })).toBe('{"results":[{"part":{"a":[1,2]}}]}');
  });
});
