import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SERVICES } from '../manifest.ts';
import { type OpenApiDocument, type OperationObject, operationsOf, resolve,
  type SchemaObject } from '../openapi-types.ts';
import { mapSchemas } from './map-schemas.ts';
import { plainDescription } from './plain.ts';

/** The description of one operation of `/things` and of the schemas that it references. */
function describing(operation: Partial<OperationObject>, schemas: Record<string, SchemaObject>): OpenApiDocument {
  const whole = {
    operationId: 'addThing',
    tags: ['things'],
    summary: '',
    description: '',
    'x-access': 'public',
    'x-effect': 'write',
    responses: {},
    ...operation,
  } as OperationObject;
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    paths: { '/things': { post: whole } },
    components: { schemas },
  };
}

/** The result for the schema of a field. */
function plainField(field: SchemaObject, others: Record<string, SchemaObject> = {}): SchemaObject | undefined {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
  const document = describing({ requestBody: { content } }, {
    Thing: { type: 'object', properties: { field } },
    ...others,
  });
  return plainDescription(document).components.schemas['Thing']!.properties!['field'];
}

describe('plainDescription', () => {
  it('leaves out headers of conditional requests, which would be arguments of generated functions', () => {
    const header = (name: string) => ({ name, in: 'header' as const, schema: { type: 'string' } });
    const { paths } = plainDescription(
      describing({ parameters: [header('If-Match'), header('Idempotency-Key'), header('If-None-Match')] }, {}),
    );
    expect(paths['/things']!['post']!.parameters!.map(({ name }) => name)).toEqual(['Idempotency-Key']);
  });

  it('describes a map in the query as a list, since generators differ in what they send for a map', () => {
    const parameter = {
      name: 'meta',
      in: 'query' as const,
      style: 'deepObject',
      explode: true,
      schema: { type: 'object', additionalProperties: { type: 'string' } },
      example: { category: 'news' },
    };
    const { paths } = plainDescription(describing({ parameters: [parameter] }, {}));
    expect(paths['/things']!['post']!.parameters).toEqual([{
      name: 'meta',
      in: 'query',
      style: 'form',
      explode: true,
      schema: { type: 'array', items: { type: 'string' } },
      example: ['category=news'],
    }]);
  });

  const Colour: SchemaObject = { type: 'string', enum: ['red', 'blue'] };
  const Name: SchemaObject = { type: 'string', maxLength: 9, description: 'A name.' };
  const Names: SchemaObject = { type: 'array', items: { type: ['string', 'null'] } };
  const Reason: SchemaObject = { type: 'string', enum: ['a'], 'x-growing': true, description: 'Why.' };
  const Box: SchemaObject = { type: 'object', properties: {} };

  it.each<[string, SchemaObject, SchemaObject]>([['null beside a type', { type: ['string', 'null'] }, {
    type: 'string',
    nullable: true,
  }], ['null as a choice', { oneOf: [{ $ref: '#/components/schemas/Box' }, { type: 'null' }] }, {
    type: 'object',
    nullable: true,
    allOf: [{ $ref: '#/components/schemas/Box' }],
  }], ['a choice of fields', { type: 'object', required: ['a'], oneOf: [{ required: ['b'] }, { required: ['c'] }] }, {
    type: 'object',
    required: ['a'],
  }], ['several types', { description: 'Any.', oneOf: [{ type: 'string' }, { type: 'number' }] }, {
    description: 'Any.',
  }], ['several types of which one is named', {
    'x-plain': 'number',
    oneOf: [{ type: 'string' }, { type: 'number', minimum: 1 }],
  }, { type: 'number', minimum: 1 }], ['a constant', { type: 'string', const: 'ok' }, { type: 'string', enum: ['ok'] }],
    ['an enumeration with null', { type: ['string', 'null'], enum: ['a', null], description: 'Why.' }, {
      type: 'string',
      nullable: true,
      description: 'Why. One of `a`.',
    }], ['an enumeration that may grow', { type: 'string', enum: ['a', 'b'], 'x-growing': true, description: 'Why.' }, {
    type: 'string',
    description: 'Why. So far one of `a`, `b`.',
  }], ['a reference to an enumeration that may grow', { $ref: '#/components/schemas/Reason' }, {
    type: 'string',
    description: 'Why. So far one of `a`.',
  }], ['a constant truth value', { type: 'boolean', enum: [true] }, { type: 'boolean' }], ['an exclusive bound', {
    type: 'number',
    exclusiveMinimum: 0,
  }, { type: 'number', minimum: 0, exclusiveMinimum: true }], ['characters by their numbers in a pattern', {
    type: 'string',
    pattern: '^[^\\u0000-\\u001f]+\\\\u0020$',
  }, { type: 'string', pattern: '^[^\\x00-\\x1f]+\\\\u0020$' }], ['a default', {
    type: 'integer',
    default: 10,
    description: 'How many.',
  }, { type: 'integer', description: 'How many. Default: `10`.' }], ['examples', {
    type: 'string',
    examples: ['a', 'b'],
  }, { type: 'string', example: 'a' }], ['a tuple', { type: 'array', prefixItems: [{ type: 'number' }] }, {
    type: 'array',
    items: {},
  }], ['a reference to a scalar', { $ref: '#/components/schemas/Name', description: 'Whose.' }, {
    type: 'string',
    maxLength: 9,
    description: 'Whose.',
  }], ['a reference to a list', { $ref: '#/components/schemas/Names' }, {
    type: 'array',
    items: { type: 'string', nullable: true },
  }], ['a reference to an object', { $ref: '#/components/schemas/Box' }, { $ref: '#/components/schemas/Box' }], [
    'a reference with a description',
    { $ref: '#/components/schemas/Colour', description: 'Of what.' },
    { allOf: [{ $ref: '#/components/schemas/Colour' }], description: 'Of what.' },
  ]])('%s', (_, field, plain) => expect(plainField(field, { Colour, Name, Names, Reason, Box })).toEqual(plain));

  it('leaves a form without what the query takes, and sends a file one way', () => {
    const form = {
      schema: {
        type: 'object',
        required: ['file', 'name'],
        properties: {
          file: { type: 'string', format: 'binary' },
          name: Name,
          colour: { $ref: '#/components/schemas/Colour' },
        },
      },
      example: { file: '...', name: 'a' },
    };
    const plain = plainDescription(describing({
      parameters: [{ name: 'name', in: 'query', schema: Name }],
      requestBody: {
        content: {
          'multipart/form-data': form,
          'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
        },
      },
    }, { Colour }));
    expect(plain.paths['/things']!['post']!.requestBody!.content).toEqual({
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['file'],
          properties: { file: { type: 'string', format: 'binary' }, colour: Colour },
        },
        example: { file: '...' },
      },
    });
  });

  it('renames a schema that is called as the response of an operation', () => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/AddThingResponse' } } };
    const plain = plainDescription(describing({ responses: { 200: { content } } }, { AddThingResponse: Box }));
    expect(Object.keys(plain.components.schemas)).toEqual(['AddThingOutput']);
    expect(plain.paths['/things']!['post']!.responses[200]!.content!['application/json']!.schema).toEqual({
      $ref: '#/components/schemas/AddThingOutput',
    });
  });

  it('names the values that two enumerations share', () => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
    const { schemas } = plainDescription(describing({ requestBody: { content } }, {
      Thing: {
        type: 'object',
        properties: {
          a: { $ref: '#/components/schemas/Colour' },
          b: { $ref: '#/components/schemas/WarmColour' },
          c: { $ref: '#/components/schemas/Size' },
        },
      },
      Colour,
      WarmColour: { type: 'string', enum: ['red'] },
      Size: { type: 'string', enum: ['large'] },
    })).components;
    expect([schemas['Colour'], schemas['WarmColour'], schemas['Size']].map((schema) => schema!['x-enum-varnames']))
      .toEqual([['COLOUR_RED', 'COLOUR_BLUE'], ['WARM_COLOUR_RED'], undefined]);
  });
});

describe.each(SERVICES)('the description of %s for generators', (service) => {
  const document = JSON.parse(
    readFileSync(new URL(`../../../generated/${service}/openapi-3.0.json`, import.meta.url), 'utf8'),
  ) as OpenApiDocument;
  const schemas: SchemaObject[] = [];
  mapSchemas(document, (schema) => {
    schemas.push(schema);
    return schema;
  });

  it('has nothing that OpenAPI 3.0 does not know, and no defaults', () => {
    const unknown = ['const', 'examples', 'prefixItems', 'propertyNames', 'anyOf', 'default', 'if', 'patternProperties',
      '$defs'];
    expect('webhooks' in document).toBe(false);
    expect(schemas.filter((schema) => Array.isArray(schema.type) || unknown.some((keyword) => keyword in schema)))
      .toEqual([]);
    expect(schemas.filter((schema) => schema.$ref !== undefined && Object.keys(schema).length > 1)).toEqual([]);
    expect(schemas.filter(({ type, items }) => type === 'array' && items === undefined)).toEqual([]);
  });

  it('says the format of every number', () => {
    expect(
      schemas.filter(({ type, format, enum: values }) =>
        (type === 'integer' || type === 'number') && format === undefined && values === undefined
      ),
    ).toEqual([]);
  });

  it('has no pattern that writes a character as JavaScript alone does', () => {
    expect(schemas.map(({ pattern }) => pattern as string | undefined).filter((pattern) => pattern?.includes('\\u')))
      .toEqual([]);
  });

  it('has one argument of each name for an operation', () => {
    for (const { operation } of operationsOf(document)) {
      const names = (operation.parameters ?? []).map((parameter) => resolve(document, parameter).name);
      const fields = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
        Object.keys(resolve(document, schema!).properties ?? {})
      );
      expect(new Set([...names, ...fields]).size, operation.operationId).toBe(names.length + fields.length);
    }
  });
});
