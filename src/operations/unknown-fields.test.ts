import { describe, expect, it } from 'vitest';
import { MAX_FOUND, unknownFieldFinder, unknownFieldMessage } from './unknown-fields.ts';

const text = { type: 'string' };
const schema = {
  type: 'object',
  'x-ignored': ['id'],
  properties: {
    filterMeta: { type: 'object', additionalProperties: { type: 'array', items: text } },
    documents: { type: 'array', items: { $ref: '#/$defs/Item' } },
    ranges: {
      oneOf: [{ type: 'array', items: { $ref: '#/$defs/Range' } }, {
        type: 'object',
        additionalProperties: { $ref: '#/$defs/Bounds' },
      }],
    },
    options: { type: ['object', 'null'], properties: { skip: { type: 'boolean' } } },
    data: { type: 'object', additionalProperties: true },
    anything: {},
  },
  $defs: {
    Item: {
      type: 'object',
      properties: { key: text, contentMd: text, parts: { type: 'array', items: { $ref: '#/$defs/Item' } } },
    },
    Range: { type: 'object', properties: { field: text, gte: {} } },
    Bounds: { type: 'object', properties: { gte: {} } },
  },
};
const find = unknownFieldFinder(schema);
const messages = (input: object) => find(input).map(unknownFieldMessage);

describe('a field that a schema does not have (decision D-04)', () => {
  it.each<[object, string]>([[{ filtrMeta: {} }, 'unknown field "filtrMeta"; did you mean "filterMeta"?'], [{
    filter_meta: {},
  }, 'unknown field "filter_meta"; did you mean "filterMeta"?'], [{ zebra: 1 }, 'unknown field "zebra"'], [{
    constructor: 1,
  }, 'unknown field "constructor"'], [JSON.parse('{"__proto__": 1}') as object, 'unknown field "__proto__"'], [{
    options: { skp: true },
  }, 'unknown field "options.skp"; did you mean "options.skip"?'], [{
    documents: [{ key: 'a' }, { contentMD: '', kye: 'b' }],
  }, 'unknown field "documents[1].kye"; did you mean "documents[1].key"?'], [{
    documents: [{ parts: [{ parts: [{ keys: '' }] }] }],
  }, 'unknown field "documents[0].parts[0].parts[0].keys"; did you mean "documents[0].parts[0].parts[0].key"?'], [{
    ranges: [{ feild: 'a' }],
  }, 'unknown field "ranges[0].feild"; did you mean "ranges[0].field"?'], [{ ranges: { year: { gt: 1 } } },
    'unknown field "ranges.year.gt"; did you mean "ranges.year.gte"?'], [{ documents: [{ id: 'a' }] },
    'unknown field "documents[0].id"']])('%j is named with its path', (input, message) => {
      expect(messages(input)).toContain(message);
    });

  it.each<[object]>([[{
    filterMeta: { whatever: ['x'] },
    data: { a: { b: 1 } },
    anything: { a: 1 },
    options: null,
    id: 'sent back',
  }], [{ documents: 'of another type', options: [{ a: 1 }], ranges: 7, filterMeta: [{ a: 1 }] }], [{
    documents: [null, 'x', { key: 'k' }],
    ranges: { field: { gte: 1 } },
  }]])('is not found in %j', (input) => {
    expect(find(input)).toEqual([]);
  });

  it('is cut in the message, which lists only the first ones', () => {
    expect(messages({ ['x'.repeat(1000)]: 1 })).toEqual([`unknown field "${'x'.repeat(80)}…"`]);
    expect(find(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}`, 1])))).toHaveLength(MAX_FOUND);
    expect(find({ documents: Array.from({ length: 1000 }, () => ({ a: 1, b: 2, c: 3 })) })).toHaveLength(MAX_FOUND);
  });

  it('is any field where there is none at all, and none where nothing is described', () => {
    expect(unknownFieldFinder({ type: 'object', properties: {} })({ a: 1 })).toEqual([{ path: 'a' }]);
    expect(unknownFieldFinder({ type: 'object' })({ a: 1 })).toEqual([]);
  });
});
