import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyCuration, hidesFor, type Hit, pinsFor } from './apply.ts';
import type { CurationRule, Pin } from './curation-rule.ts';

const rule = (changes: Partial<CurationRule> = {}): CurationRule => ({
  id: 'cur_1',
  collection: 'blog',
  query: 'post',
  matchMode: 'exact',
  pins: [],
  hides: [],
  enabled: true,
  ignoreFilters: false,
  createdAt: 1,
  updatedAt: 1,
  ...changes,
});
const hit = (key: string, score = 1, lang = 'en'): Hit => ({ key, lang, score });
const organic = ['a', 'b', 'c', 'd'].map((key, i) => hit(key, 9 - i));
const pin = (key: string, position: number, lang?: string): Pin => ({
  key,
  position,
  ...(lang !== undefined && { lang }),
});

/** Every document exists that is pinned without being a result. */
const find = ({ key, lang = 'en' }: Pin): Hit => hit(key, 0, lang);
const keys = (rules: readonly CurationRule[], query = 'post', hits: readonly Hit[] = organic) =>
  applyCuration(query, hits, rules, find).map(({ key }) => key).join('');

describe('which rules match', () => {
  const shows = (changes: Partial<CurationRule>, query: string) =>
    keys([rule({ hides: ['a'], ...changes })], query) === 'bcd';

  it.each([['post', 'post', true], ['  Getting \t Started ', 'getting started', true], ['getting started',
    'GETTING\n\nSTARTED  ', true], ['post', 'posts', false], ['post', 'my post', false], ['ÄPFEL', 'äpfel', true]])(
      'exact %j is asked %j: %s',
      (query, asked, matches) => {
        expect(shows({ query, matchMode: 'exact' }, asked)).toBe(matches);
      },
    );

  it.each([['post', 'my POSTs', true], ['blog  post', 'a Blog post', true], ['blog post', 'post blog', false]])(
    'contains %j is asked %j: %s',
    (query, asked, matches) => {
      expect(shows({ query, matchMode: 'contains' }, asked)).toBe(matches);
    },
  );

  it('are the enabled ones alone', () => {
    expect(shows({ enabled: false }, 'post')).toBe(false);
  });
});

describe('hides and pins (decisions section 4.5)', () => {
  it('hide a key in any letter case and every language', () => {
    expect(keys([rule({ hides: ['B', 'd', 'none'] })], 'post', [...organic, hit('b', 1, 'de')])).toBe('ac');
  });

  it.each([[[pin('c', 1)], 'cabd'], [[pin('x', 2)], 'axbcd'], [[pin('x', 2), pin('a', 1)], 'axbcd'], [[pin('a', 3)],
    'bcad'], [[pin('x', 0), pin('y', -3)], 'abcdxy'], [[pin('a', 0)], 'bcda'], [[pin('y', 99), pin('x', 50)], 'abcdxy'],
    [[pin('x', 99), pin('y', 0)], 'abcdxy'], [[pin('x', 1), pin('y', 1), pin('z', 2)], 'xyzabcd'], [[pin('x', 4),
    pin('y', 4)], 'abcxyd']])('pins %j give %s', (pins, expected) => {
      expect(keys([rule({ pins })])).toBe(expected);
    });

  it('mark what a pin put there, and keep the score of what was found', () => {
    expect(applyCuration('post', organic.slice(0, 2), [rule({ pins: [pin('b', 1), pin('x', 2)] })], find)).toEqual([{
      key: 'b',
      lang: 'en',
      score: 8,
      pinned: true,
    }, { key: 'x', lang: 'en', score: 0, pinned: true }, { key: 'a', lang: 'en', score: 9 }]);
  });

  it('leave out what cannot be shown', () => {
    expect(applyCuration('post', organic, [rule({ pins: [pin('x', 1)] })], () => undefined)).toEqual(organic);
  });

  it('move the language that is named, else the best one', () => {
    const both = [hit('a'), hit('b', 1, 'de'), hit('b', 1, 'en')];
    const order = (pins: Pin[]) =>
      applyCuration('post', both, [rule({ pins })], find).map(({ key, lang }) => `${key}.${lang}`);
    expect(order([pin('b', 1)])).toEqual(['b.de', 'a.en', 'b.en']);
    expect(order([pin('B', 1, 'EN')])).toEqual(['b.en', 'a.en', 'b.de']);
    expect(order([pin('b', 1, 'pl')])).toEqual(['b.pl', 'a.en', 'b.de', 'b.en']);
  });

  it('apply together: hides beat pins, and the earlier pin has the place', () => {
    const rules = [rule({ pins: [pin('x', 1), pin('y', 2)] }),
      rule({ pins: [pin('z', 1), pin('x', 3)], hides: ['Y'] })];
    expect(keys(rules)).toBe('xzabcd');
    expect(pinsFor('post', rules).map(({ key }) => key)).toEqual(['x', 'z', 'x']);
    expect(hidesFor('post', rules)).toEqual(new Set(['y']));
  });

  it('change nothing without a matching rule', () => {
    expect(applyCuration('other', organic, [rule({ hides: ['a'], pins: [pin('x', 1)] })], find)).toEqual(organic);
  });
});

describe('properties', () => {
  const key = fc.constantFrom(...'abcdefgh');
  const pins = fc.array(fc.record({ key, position: fc.integer({ min: -2, max: 9 }) }), { maxLength: 4 });
  const rules = fc.array(fc.record({ pins, hides: fc.array(key, { maxLength: 2 }), enabled: fc.boolean() }).map(rule), {
    maxLength: 4,
  });
  const hits = fc.uniqueArray(key, { maxLength: 8 }).map((list) => list.map((k, i) => hit(k, 9 - i)));
  const known = fc.uniqueArray(key);

  it('each document stands once, nothing hidden is shown, nothing found is lost', () => {
    fc.assert(fc.property(hits, rules, known, (found, given, existing) => {
      const answer = applyCuration('post', found, given, (p) => (existing.includes(p.key) ? find(p) : undefined));
      const hides = hidesFor('post', given);
      const shown = answer.map((result) => result.key);
      expect(new Set(shown).size).toBe(shown.length);
      const wanted = new Set([...found.map((h) => h.key),
        ...pinsFor('post', given).map((p) => p.key).filter((k) => existing.includes(k))]);
      expect(new Set(shown)).toEqual(new Set([...wanted].filter((k) => !hides.has(k))));
    }));
  });

  it('what is not pinned keeps its order and its content', () => {
    fc.assert(fc.property(hits, rules, (found, given) => {
      const free = applyCuration('post', found, given, find).filter(({ pinned }) => pinned === undefined);
      expect(free).toEqual(found.filter((h) => free.includes(h)));
    }));
  });

  it('a pin that is alone stands exactly where it is told to, as far as results reach', () => {
    fc.assert(fc.property(hits, key, fc.integer({ min: -2, max: 12 }), (found, k, position) => {
      const answer = applyCuration('post', found, [rule({ pins: [pin(k, position)] })], find);
      const place = position <= 0 ? answer.length : Math.min(position, answer.length);
      expect(answer[place - 1]).toMatchObject({ key: k, pinned: true });
    }));
  });

  it('a prefix of the matches with n free results gives the first n of the response', () => {
    fc.assert(fc.property(hits, rules, fc.nat({ max: 6 }), (found, given, n) => {
      const all = applyCuration('post', found, given, find);
      const bound = new Set([...hidesFor('post', given), ...pinsFor('post', given).map((p) => p.key)]);
      const isFree = (h: Hit) => !bound.has(h.key);
      let length = 0;
      while (length < found.length && found.slice(0, length).filter(isFree).length < n) length++;
      const byKey = new Map(found.map((h) => [h.key, h]));
      const some = applyCuration('post', found.slice(0, length), given, (p) => byKey.get(p.key) ?? find(p));
      expect(some.slice(0, n)).toEqual(all.slice(0, n));
    }));
  });
});
