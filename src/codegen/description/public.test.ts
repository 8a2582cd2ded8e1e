import { describe, expect, it } from 'vitest';
import type { OpenApiDocument, SchemaObject } from '../openapi-types.ts';
import { publicDescription } from './public.ts';

/** A description of one operation that returns the schema `Thing`. */
function withThing(thing: SchemaObject, others: Record<string, SchemaObject> = {}): OpenApiDocument {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
  const operation = {
    operationId: 'readThing',
    tags: ['things'] as [string],
    summary: '',
    description: '',
    'x-access': 'public',
    'x-effect': 'read',
    responses: { 200: { content } },
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    paths: { '/things': { get: operation } },
    components: { schemas: { Thing: thing, ...others } },
  };
}

const described = (thing: SchemaObject, others?: Record<string, SchemaObject>): Record<string, SchemaObject> =>
  publicDescription(withThing(thing, others)).components.schemas;

describe('publicDescription', () => {
  it('says the format of numbers: 32 bits only where the bounds say so', () => {
    const { Thing } = described({
      type: 'object',
      properties: {
        page: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
        count: { type: 'integer', minimum: 0 },
        large: { type: ['integer', 'null'], minimum: 0, maximum: 2_147_483_648 },
        share: { type: 'number' },
        level: { type: 'integer', enum: [1, 2] },
        since: { type: 'integer', format: 'int64' },
      },
    });
    const formats = Object.fromEntries(Object.entries(Thing!.properties!).map(([name, { format }]) => [name, format]));
    expect(formats).toEqual({
      page: 'int32',
      count: 'int64',
      large: 'int64',
      share: 'double',
      level: undefined,
      since: 'int64',
    });
  });

  it('makes a choice of several types, each with its own keywords; null stays beside one type', () => {
    const { Thing } = described({
      type: 'object',
      properties: {
        value: { type: ['string', 'number'], description: 'A value.', maxLength: 9, minimum: 0 },
        name: { type: ['string', 'null'], maxLength: 9 },
      },
    });
    expect(Thing!.properties).toEqual({
      value: {
        description: 'A value.',
        oneOf: [{ type: 'string', maxLength: 9 }, { type: 'number', minimum: 0, format: 'double' }],
      },
      name: { type: ['string', 'null'], maxLength: 9 },
    });
  });

  it('leaves out what is parsed but not described, and what only that referred to', () => {
    const schemas = described({
      description: 'A list.',
      oneOf: [{ type: 'array', items: { type: 'string' } }, {
        'x-undocumented': true,
        type: 'object',
        additionalProperties: { $ref: '#/components/schemas/Bounds' },
      }],
    }, { Bounds: { type: 'object', properties: {} } });
    expect(schemas).toEqual({ Thing: { description: 'A list.', type: 'array', items: { type: 'string' } } });
  });

  it('reports that single values are taken as lists of one', () => {
    const { Thing } = described({
      'x-scalars': true,
      type: 'object',
      additionalProperties: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 9 } },
    });
    const others = [{ type: 'number', format: 'double' }, { type: 'boolean' }];
    const text = { type: 'string', maxLength: 9 };
    expect(Thing).toEqual({
      type: 'object',
      additionalProperties: {
        'x-plain': 'array',
        oneOf: [{ type: 'array', maxItems: 3, items: { 'x-plain': 'string', oneOf: [text, ...others] } }, text,
          ...others],
      },
    });
  });

  it('reports that nested values are flattened', () => {
    const { Thing } = described({
      'x-flattened': true,
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    });
    const values = [{ type: 'string' }, { type: 'number', format: 'double' }, { type: 'boolean' }, {
      type: 'object',
      additionalProperties: true,
    }, { type: 'null' }];
    expect(Thing).toEqual({
      type: 'object',
      additionalProperties: {
        'x-plain': 'array',
        oneOf: [{ type: 'array', items: { 'x-plain': 'string', oneOf: values } }, ...values],
      },
    });
  });

  it('changes no example, whatever it looks like', () => {
    const document = withThing({ type: 'object', properties: {} });
    document.paths['/things']!['get']!.responses[200]!.content!['application/json']!.example = {
      schema: { type: 'integer' },
    };
    expect(publicDescription(document).paths).toEqual(document.paths);
  });
});
