import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flatMeta, flattenMeta, looksLikeStringifiedMaps } from './flatten-meta.ts';

describe('flat metadata (decision D-135)', () => {
  it('are themselves when they are lists of texts already', () => {
    const meta = { a: ['x', ''], b: ['y'] };
    expect(flatMeta(meta)).toBe(meta);
    expect(flatMeta({})).toEqual({});
  });

  it('have a dotted key for each nested value, and none for what is empty', () => {
    expect(
      flatMeta({ a: 1, b: [true, null], c: { d: { e: 'x' }, f: [] }, g: [{}, { h: -0.5 }], i: null, j: [null], k: [] }),
    ).toEqual({ a: ['1'], b: ['true'], 'c.d.e': ['x'], 'g.1.h': ['-0.5'] });
  });

  it('have the values of all keys that are the same then, in their order', () => {
    expect(flatMeta({ a: { b: [1, 2] }, 'a.b': 3, '': { '': 4 } })).toEqual({ 'a.b': ['1', '2', '3'], '.': ['4'] });
    expect(flatMeta(JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as Record<string, unknown>)).toEqual({
      '__proto__.a': ['1'],
      constructor: ['2'],
    });
  });

  it('exceed a limit still, but by little, where they exceeded one', () => {
    const many = (count: number): Record<string, number> =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
    expect(Object.keys(flatMeta({ a: many(256) }))).toHaveLength(256);
    expect(Object.keys(flatMeta({ a: many(5000) }))).toHaveLength(257);
    expect(flatMeta({ a: { b: Array.from({ length: 5000 }, () => 1) } })['a.b']).toHaveLength(1001);
    const [key] = Object.keys(flatMeta({ ['x'.repeat(100_000)]: many(100) }));
    expect(key).toBe('x'.repeat(1025));
  });

  it('end where they are nested without end', () => {
    let nested: unknown = 1;
    for (let i = 0; i < 100_000; i++) nested = i % 2 === 0 ? [nested] : { '': nested };
    expect(Object.keys(flatMeta({ a: nested }))).toEqual([expect.stringMatching(/^a\.[0.]{1023}$/)]);
  });

  it('are undefined when there are more values than a caller takes', () => {
    expect(flattenMeta({ a: [1, 2, [3]] }, 6)?.meta).toEqual({ 'a.0': ['1'], 'a.1': ['2'], 'a.2': ['3'] });
    expect(flattenMeta({ a: [1, 2, [3]] }, 4)).toBeUndefined();
  });
});

describe('looksLikeStringifiedMaps (contract section 2)', () => {
  it.each(['[{"question":"Why?","answer":"Because"}]', ' [ {"a": 1}, {} ] ', '[{}]',
    '[map[answer:Because question:Why?]]', "[{'question': 'Why?'}, {'question': 'How?'}]", '[{:question=>"Why?"}]',
    '[{question: Why?, answer: Because}]', '[object Object]', '[object Object],[object Object]'])('sees %s',
      (value) => {
        expect(looksLikeStringifiedMaps(value)).toBe(true);
      });

  it.each(['', 'text', '[]', '["a","b"]', '[1,2]', '[[{"a":1}]]', '{"a":1}', '[x]', '[ ] todo',
    '[link](https://a.example)', '[{"a":1}, 2]', 'see [{a: 1}]', 'map[a:1] in Go', '[{{ template }}]', '[mapped]'])(
      'leaves %j alone',
      (value) => {
        expect(looksLikeStringifiedMaps(value)).toBe(false);
      },
    );

  it('sees every JSON list of objects', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 }), (list) =>
        looksLikeStringifiedMaps(JSON.stringify(list))),
    );
  });

  it('is quick on long texts', () => {
    expect(looksLikeStringifiedMaps(`[{${'a'.repeat(200_000)}`)).toBe(false);
    expect(looksLikeStringifiedMaps(`[{a:${'}'.repeat(200_000)}`)).toBe(false);
    expect(looksLikeStringifiedMaps(`[{'${' '.repeat(200_000)}`)).toBe(false);
  });
});
