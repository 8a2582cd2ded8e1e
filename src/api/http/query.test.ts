import { describe, expect, it } from 'vitest';
import type { OperationSpec, ParameterSpec } from '../../operations/index.ts';
import { decodeParameters, parseQuery, unknownParameters } from './decode.ts';

const PARAMETERS: ParameterSpec[] = [{ name: 'collection', in: 'query', field: 'collection', type: 'string' }, {
  name: 'limit',
  in: 'query',
  field: 'limit',
  type: 'integer',
}, { name: 'tags', in: 'query', field: 'tags', type: 'array', items: 'string' }, {
  name: 'meta',
  in: 'query',
  field: 'meta',
  type: 'object',
  items: 'string',
}, { name: 'id', in: 'path', field: 'id', type: 'string' }];
const spec = (parameters: ParameterSpec[]) =>
  ({ id: 'findThing', method: 'GET', path: '/v1/things', parameters }) as unknown as OperationSpec;

const decode = (text: string) => decodeParameters(PARAMETERS, { path: {}, query: parseQuery(text), headers: {} });

const refusal = (text: string, parameters = PARAMETERS): string | undefined => {
  const [first] = unknownParameters(spec(parameters), parseQuery(text));
  return first && `unknown query parameter ${first.name}${first.hint}`;
};

describe('a query string', () => {
  it.each([
    ['collection=a%20b+c&limit=5', { collection: 'a b c', limit: 5 }],
    ['tags=x,y', { tags: ['x', 'y'] }],
    ['tags=x&tags=y,z', { tags: ['x', 'y,z'] }],
    // A scalar that occurs twice is passed on, and validation rejects it.
    ['limit=1&limit=2', { limit: ['1', '2'] }],
    ['collection', { collection: '' }],
    // A value above 64 bits is not read as that number.
    ['limit=9223372036854775000', { limit: 9223372036854774784 }],
    ['limit=9223372036854775001', { limit: 9223372036854775808 }],
    ['limit=1766400000000000000', { limit: 1766400000000000000 }],
    ['', {}],
  ])('%j is read by the types of its parameters', (text, expected) => {
    expect(decode(text)).toEqual(expected);
  });

  it.each([['meta[category]=news', { category: 'news' }], ['meta%5Bcategory%5D=news', { category: 'news' }], [
    'meta.category=news',
    { category: 'news' },
  ], ['meta[category]=news&meta[category]=blog', { category: ['news', 'blog'] }], [
    'meta[category][]=news&meta.category=blog&meta[lang]=en',
    { category: ['news', 'blog'], lang: 'en' },
  ], ['meta[0]=x&meta[1]=y', { 0: 'x', 1: 'y' }], ['meta[a.b]=1&meta.c.d=2&meta[e[0]]=3', {
    'a.b': '1',
    'c.d': '2',
    'e[0]': '3',
  }], ['meta[constructor]=x&meta[toString]=y', { constructor: 'x', toString: 'y' }], ['meta[category]=a,b', {
    category: 'a,b',
  }], ['meta=category=news', { category: 'news' }], [
    'meta=category%3Dnews&meta=lang=en&meta[category]=a=b&meta=category=',
    { category: ['a=b', 'news', ''], lang: 'en' },
  ]])('%s filters metadata (decision D-145)', (text, expected) => {
    expect(decode(text)).toEqual({ meta: expected });
    expect(refusal(text)).toBeUndefined();
  });

  it.each(['meta=news', 'meta==news', 'meta='])('%s names no key, and is refused', (text) => {
    expect(() => decode(text)).toThrow(
      'meta must be KEY=VALUE, such as meta=category=news or meta[category]=news, got ',
    );
  });

  it.each(['meta[__proto__]=x', 'meta=__proto__=x'])('%s sets no prototype', (text) => {
    const { meta } = decode(text) as { meta: object };
    expect([Object.keys(meta), Object.getPrototypeOf(meta)]).toEqual([['__proto__'], Object.prototype]);
  });

  it('keeps more than a thousand parameters', () => {
    expect(
      (decode(Array.from({ length: 1500 }, (_, i) => `meta[k]=${i}`).join('&')) as { meta: { k: string[] } }).meta.k,
    ).toHaveLength(1500);
  });

  it('with broken escapes is refused', () => {
    expect(() => parseQuery('a=%ff')).toThrow('the query string is not valid UTF-8, percent-encoded');
  });
});

describe('a parameter that the operation does not have', () => {
  it.each([
    ['limt=5', 'unknown query parameter "limt"; did you mean limit?'],
    ['collections[0]=a', 'unknown query parameter "collections[0]"; did you mean collection?'],
    ['category=news', 'unknown query parameter "category"; metadata are filtered by meta[category]=...'],
    ['meta[]=news',
      'unknown query parameter "meta[]"; write meta[KEY]=VALUE with one key, such as meta[category]=news'],
    ['meta[a][b]=c',
      'unknown query parameter "meta[a][b]"; write meta[KEY]=VALUE with one key, such as meta[category]=news'],
    // A parameter in the path is not one of the query.
    ['id=5', 'unknown query parameter "id"; metadata are filtered by meta[id]=...'],
    ['toString=1', 'unknown query parameter "toString"; metadata are filtered by meta[toString]=...'],
    ['collection=a&__proto__=1', 'unknown query parameter "__proto__"; metadata are filtered by meta[__proto__]=...'],
  ])('%s is refused, with the one that may be meant', (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  it('names the replacement', () => {
    expect(refusal('x=1', PARAMETERS.slice(0, 2))).toBe(
      'unknown query parameter "x"; GET /v1/things takes collection, limit',
    );
    expect(refusal('x=1', [])).toBe('unknown query parameter "x"; GET /v1/things takes none');
  });
});
