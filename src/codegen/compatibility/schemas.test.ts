import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument, SchemaObject } from '../openapi-types.ts';
import { type Direction, SchemaComparison } from './schemas.ts';

const document = (schemas: Record<string, SchemaObject>) => ({ components: { schemas } }) as unknown as OpenApiDocument;

function breaks(direction: Direction, was: SchemaObject | boolean, now: SchemaObject | boolean,
  before: Record<string, SchemaObject> = {}, after = before): string[]
{
  return new SchemaComparison(document(before), document(after), direction).breaks(was, now, 'x');
}

const object = (properties: Record<string, SchemaObject>, required: string[] = []): SchemaObject => ({
  type: 'object',
  properties,
  required,
});
const text: SchemaObject = { type: 'string' };
const number: SchemaObject = { type: 'number' };

describe('a request', () => {
  it.each<[string, SchemaObject | boolean, SchemaObject | boolean, string[]]>([['takes one type less', {
    type: ['string', 'number'],
  }, text, ['x no longer takes number']], ['takes whole numbers only', number, { type: 'integer' }, [
    'x no longer takes number',
  ]], ['takes one alternative less', { oneOf: [text, { type: 'array', items: text }] }, text, [
    'x no longer takes array',
  ]], ['takes a list of values only', text, { type: 'string', enum: ['a'] }, [
    'x takes only a list of values now: "a"',
  ]], ['takes a constant only', { type: 'string', enum: ['a', 'b'] }, { const: 'a' }, ['x no longer takes "b"']], [
    'takes shorter texts',
    text,
    { type: 'string', maxLength: 5 },
    ['x takes less: maxLength is 5, had none'],
  ], ['takes longer lists only', { type: 'array', items: text }, { type: 'array', items: text, minItems: 1 }, [
    'x takes less: minItems is 1, had none',
  ]], ['has another pattern', { type: 'string', pattern: 'a' }, { type: 'string', pattern: 'b' }, [
    'x may take less: pattern is "b", was "a"',
  ]], ['takes a format only', text, { type: 'string', format: 'uuid' }, ['x takes only this format now: uuid']], [
    'takes other items',
    { type: 'array', items: { type: ['string', 'null'] } },
    { type: 'array', items: text },
    ['x[] no longer takes null'],
  ], ['takes less behind the first items', { type: 'array', prefixItems: [number], maxItems: 2 }, {
    type: 'array',
    prefixItems: [number],
    items: text,
    maxItems: 2,
  }, ['x[] no longer takes anything']], ['takes other values of a map', {
    type: 'object',
    additionalProperties: number,
  }, { type: 'object', additionalProperties: text }, ['x.* no longer takes number']], ['takes known fields only', {
    type: 'object',
    additionalProperties: true,
  }, { type: 'object', additionalProperties: false }, ['x no longer takes fields of any name']], [
    'needs one of two fields',
    object({ a: text, b: text }),
    { ...object({ a: text, b: text }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    ['x.a is now required'],
  ], ['is typed where it was not', {}, text, ['x no longer takes anything']], ['is refused', text, false, [
    'x no longer takes string',
  ]]])('that %s breaks clients', (_, was, now, findings) => expect(breaks('request', was, now)).toEqual(findings));

  it.each<[string, SchemaObject, SchemaObject]>([['takes one type more', text, { type: ['string', 'null'] }], [
    'takes numbers that are not whole',
    { type: 'integer' },
    number,
  ], ['names its types in another way', { type: ['string', 'number'] }, { oneOf: [number, text] }], [
    'takes a list where it took one',
    text,
    { anyOf: [text, { type: 'array', items: text }] },
  ], ['takes a list of all that bounds allowed', { type: 'integer', minimum: 0, maximum: 2 }, {
    type: ['integer', 'string'],
    enum: [0, 1, 2, 'auto'],
  }], ['takes values in several alternatives', { type: 'string', enum: ['a', 'b'] }, {
    anyOf: [{ const: 'b' }, { type: 'string', enum: ['a', 'c'] }],
  }], ['has formats of numbers', { type: 'integer' }, { type: 'integer', format: 'int64' }], [
    'needs one of two fields that it needed both of',
    object({ a: text, b: text }, ['a', 'b']),
    { ...object({ a: text, b: text }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
  ], ['takes fields of any name', object({ a: text }), { type: 'object', additionalProperties: text }], [
    'has a limit that excludes nothing',
    text,
    { type: 'string', minLength: 0 },
  ], ['has lost its limits', { type: 'string', maxLength: 3, pattern: 'a' }, text]])('that %s breaks nobody',
    (_, was, now) => expect(breaks('request', was, now)).toEqual([]));

  it('has no fields that are read only', () => {
    expect(breaks('request', object({ id: { type: 'string', readOnly: true } }), object({}))).toEqual([]);
    expect(breaks('answer', object({ id: { type: 'string', readOnly: true } }), object({}))).toEqual([
      'x.id was removed',
    ]);
  });
});

describe('a response', () => {
  it('may have fields that were not announced, and values beyond limits', () => {
    expect(breaks('answer', { ...object({ a: text }), additionalProperties: false }, object({ a: text, b: text })))
      .toEqual([]);
    expect(breaks('answer', { type: 'string', maxLength: 5 }, text)).toEqual([]);
  });

  it('may have fewer types and values', () => {
    expect(breaks('answer', { oneOf: [text, number] }, { type: 'integer' })).toEqual([]);
    expect(breaks('answer', { type: ['string', 'null'], enum: ['a', 'b', null] }, { const: 'a' })).toEqual([]);
  });

  it('may have further values where that was said', () => {
    expect(breaks('answer', { type: 'string', enum: ['a'], 'x-growing': true }, {
      type: 'string',
      enum: ['a', 'b'],
      'x-growing': true,
    })).toEqual([]);
  });

  it('breaks clients without its format, or when it may be anything', () => {
    expect(breaks('answer', { type: 'string', format: 'date-time' }, text)).toEqual([
      'x no longer has the format date-time',
    ]);
    expect(breaks('answer', text, {})).toEqual(['x may now be anything']);
  });
});

describe('references', () => {
  const node: SchemaObject = object({
    name: text,
    children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
  }, ['name']);

  it('are followed through recursive schemas', () => {
    const renamed = {
      ...node,
      properties: { ...node.properties, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
    };
    expect(
      breaks('request', { $ref: '#/components/schemas/Node' }, { $ref: '#/components/schemas/Tree' }, { Node: node }, {
        Tree: renamed,
      }),
    ).toEqual([]);
    const needy = { ...renamed, required: ['name', 'children'] };
    expect(
      breaks('request', { $ref: '#/components/schemas/Node' }, { $ref: '#/components/schemas/Tree' }, { Node: node }, {
        Tree: needy,
      }),
    ).toEqual(['x.children is now required']);
  });

  it('count together with what stands beside them', () => {
    const schemas = { Name: { type: 'string', maxLength: 9 } };
    expect(breaks('request', { $ref: '#/components/schemas/Name' }, {
      $ref: '#/components/schemas/Name',
      description: 'Its name.',
      default: 'pen',
    }, schemas)).toEqual([]);
    expect(
      breaks('request', { $ref: '#/components/schemas/Name' }, { $ref: '#/components/schemas/Name', maxLength: 5 },
        schemas),
    ).toEqual(['x takes less: maxLength is 5, was 9']);
  });

  it('are said at each of their places', () => {
    const pair = object({ a: { $ref: '#/components/schemas/Name' }, $b: { $ref: '#/components/schemas/Name' } });
    expect(breaks('request', pair, pair, { Name: text }, { Name: number })).toEqual(['x.a no longer takes string',
      'x.$b no longer takes string']);
  });
});

/** Schemas of every kind except those whose meaning is not compared; objects name all of their fields. */
const schema: fc.Arbitrary<SchemaObject> = fc.letrec<{ schema: SchemaObject }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<SchemaObject>(text, number, { type: 'integer' }, { type: 'null' }, { type: ['string', 'null'] }, {
      type: 'boolean',
    }, { type: 'string', enum: ['', 'a'] }, { enum: [0, 'a', null] }, { const: 'a' }, { type: 'integer', minimum: 0 }, {
      type: 'string',
      maxLength: 1,
    }, { type: ['integer', 'string'], maximum: 0 }), fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      minItems: fc.constantFrom(0, 1),
      maxItems: fc.constantFrom(1, 2),
    }) as fc.Arbitrary<SchemaObject>,
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.record({ a: tie('schema'), b: tie('schema'), required: fc.subarray(['a', 'b']) }).map(({ a, b, required }) => ({
      ...object({ a, b }, required),
      additionalProperties: false,
    }))),
})).schema;

const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 0.5, '', 'a', 'ab'),
    fc.array(tie('value'), { maxLength: 2 }), fc.record({ a: tie('value'), b: tie('value') }, { requiredKeys: [] })),
})).value;

const ajv = new Ajv2020({ strict: false, validateSchema: false });

/** A schema and a change to it: another schema, an additional alternative, or additional optional fields. */
const change = fc.tuple(schema, schema, fc.integer({ min: 0, max: 2 })).map((
  [was, other, kind],
): [SchemaObject, SchemaObject] => [was, [other, { anyOf: [other, was] }, optional(was)][kind]!]);

function optional(schema: SchemaObject): SchemaObject {
  return JSON.parse(JSON.stringify(schema), (key, node: unknown) => (key === 'required' ? [] : node)) as SchemaObject;
}

describe('any two schemas', () => {
  it('where nothing is found, every value of the one is one of the other', () => {
    fc.assert(fc.property(change, fc.array(value, { minLength: 20, maxLength: 20 }), ([was, now], values) => {
      if (breaks('request', was, now).length > 0) return;
      const [before, after] = [ajv.compile(was), ajv.compile(now)];
      for (const each of values) if (before(each)) expect(after(each), JSON.stringify(each)).toBe(true);
    }));
  });

  it('of which one is the other with one more alternative break no client that sends', () => {
    fc.assert(fc.property(schema, schema, (was, more) => {
      expect(breaks('request', was, { anyOf: [more, was] })).toEqual([]);
      expect(breaks('answer', { anyOf: [more, was] }, was)).toEqual([]);
    }));
  });

  it('break nobody when they are the same, by another name or as the only part of allOf', () => {
    fc.assert(fc.property(schema, fc.constantFrom<Direction>('request', 'answer'), (one, direction) => {
      expect(breaks(direction, one, { $ref: '#/components/schemas/One' }, {}, { One: { allOf: [one] } })).toEqual([]);
    }));
  });
});
