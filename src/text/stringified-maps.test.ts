import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksLikeStringifiedMaps } from './stringified-maps.ts';

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
