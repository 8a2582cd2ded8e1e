import { describe, expect, it } from 'vitest';
import { addStandardResponses } from './bundle.ts';
import { emitInputs, emitOperations } from './emit.ts';
import type { OpenApiDocument, SchemaObject } from './openapi-types.ts';
import { modelOperations } from './operation-model.ts';

function document(): OpenApiDocument {
  const answer = { description: '', content: { 'application/json': { schema: { type: 'object' } } } };
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/v1/things/{id}': {
        put: {
          operationId: 'replaceThing',
          tags: ['things'],
          summary: 'Replace',
          description: '',
          'x-access': 'write',
          'x-effect': 'write',
          'x-timeout': 'none',
          parameters: [{ name: 'id', in: 'path', required: true, description: 'its id', schema: { type: 'string' } }, {
            name: 'Idempotency-Key',
            in: 'header',
            required: true,
            schema: { type: 'string' },
            'x-error': 'idempotency_key_required',
          }, { name: 'limit', in: 'query', schema: { $ref: '#/components/schemas/Limit' } }],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/ReplaceThingRequest' } } },
          },
          responses: { 200: answer },
        },
      },
      '/health': {
        get: {
          operationId: 'getHealth',
          tags: ['system'],
          summary: 'Health',
          description: '',
          'x-access': 'public',
          'x-effect': 'none',
          responses: { 200: answer },
        },
      },
    },
    components: {
      schemas: {
        Limit: { type: 'integer', default: 5 },
        Name: { type: 'string' },
        ReplaceThingRequest: {
          type: 'object',
          required: ['name'],
          properties: { name: { $ref: '#/components/schemas/Name' }, flag: { type: 'boolean', default: true } },
        },
        Unused: { type: 'string' },
      },
      responses: Object.fromEntries(
        ['BadRequest', 'Unauthorized', 'Forbidden', 'PayloadTooLarge', 'UnsupportedMediaType', 'InternalError',
          'Unavailable'].map((name) => [name, { description: name }]),
      ),
      securitySchemes: { bearer: {} },
    },
  };
}

const find = (id: string) => modelOperations(document()).find(({ spec }) => spec.id === id)!;

describe('the limits of an input', () => {
  const of = (limits: object, usual: object = {}) => {
    const changed = { ...document(), ...usual } as OpenApiDocument;
    Object.assign((changed.paths['/v1/things/{id}'] as unknown as { put: object }).put, limits);
    Object.assign(changed.components.schemas['Name']!, { type: 'array', maxItems: 2000, items: { type: 'string' } });
    const { maxBody, maxValues } = modelOperations(changed).find(({ spec }) => spec.id === 'replaceThing')!.spec;
    return { maxBody, maxValues };
  };
  const usual = { 'x-max-body': '128KiB', 'x-max-values': 10_000 };

  it('are those of the operation, else those of the document', () => {
    expect(of({}, usual)).toEqual({ maxBody: 131_072, maxValues: 10_000 });
    expect(of({ 'x-max-body': '1MiB', 'x-max-values': 20_000 }, usual)).toEqual({
      maxBody: 1_048_576,
      maxValues: 20_000,
    });
    expect(of({ 'x-max-body': 'server' }, usual)).toEqual({ maxBody: undefined, maxValues: 10_000 });
  });

  it('are not below what a field may hold by itself, and sizes', () => {
    expect(() => of({ 'x-max-body': '64KiB' }, usual)).toThrow(
      'replaceThing: x-max-body is 64KiB, and name may have 82000 bytes',
    );
    expect(() => of({ 'x-max-values': 9999 }, usual)).toThrow('replaceThing: x-max-values must be at least 10000');
    expect(() => of({ 'x-max-body': 'much' }, usual)).toThrow(
      'replaceThing: x-max-body must be a size such as 64KiB, or server, got much',
    );
  });
});

describe('the model of an operation', () => {
  it('joins path, query, header and body into one flat input, parameters first', () => {
    const { input } = find('replaceThing');
    expect(Object.keys(input.properties!)).toEqual(['id', 'idempotencyKey', 'limit', 'name', 'flag']);
    expect(input.required).toEqual(['id', 'idempotencyKey', 'name']);
  });

  it('knows which fields have a default, also behind a reference, where the validator would not see it', () => {
    const model = find('replaceThing');
    expect(model.defaulted).toEqual(['limit', 'flag']);
    expect(model.input.properties!['limit']).toMatchObject({ default: 5 });
  });

  it('carries access, effect, limits and the way of each parameter into the table', () => {
    expect(find('replaceThing').spec).toMatchObject({
      method: 'PUT',
      path: '/v1/things/{id}',
      access: 'write',
      effect: 'write',
      limited: false,
      status: 200,
      parameters: [{ name: 'id', in: 'path', type: 'string' }, {
        name: 'Idempotency-Key',
        in: 'header',
        field: 'idempotencyKey',
      }, { name: 'limit', in: 'query', type: 'integer' }],
    });
  });

  it('knows where the input names collections: in the field of that name, unless it is said otherwise', () => {
    const of = (collections: string[] | undefined, properties: Record<string, SchemaObject>) => {
      const changed = document();
      changed.components.schemas['ReplaceThingRequest']!.properties = properties;
      if (collections) changed.paths['/v1/things/{id}']!['put']!['x-collections'] = collections;
      return modelOperations(changed).find(({ spec }) => spec.id === 'replaceThing')!.spec.collections;
    };
    const text = { type: 'string' };
    expect(of(undefined, { name: text })).toBeUndefined();
    expect(of(undefined, { collection: text })).toEqual(['collection']);
    expect(of([], { collection: text })).toBeUndefined();
    expect(of(['_memory', 'targets'], { collection: text, targets: { type: 'array' } })).toEqual(['_memory',
      'targets']);
    expect(() => of(['target'], { targets: text })).toThrow(
      'replaceThing: x-collections names target, which the input does not have',
    );
  });

  it('knows the fields of the response that need read permission, if the response has them and can be without', () => {
    const of = (fields: string[], required: string[] = []) => {
      const changed = document();
      const operation = changed.paths['/v1/things/{id}']!['put']!;
      const item = { type: 'object', required, properties: { body: { type: 'string' } } };
      operation.responses['200'] = {
        content: {
          'application/json': {
            schema: { oneOf: [{ type: 'object', properties: { items: { type: 'array', items: item } } }, item] },
          },
        },
      };
      operation['x-read-fields'] = fields;
      return modelOperations(changed).find(({ spec }) => spec.id === 'replaceThing')!.spec.readFields;
    };
    expect(of(['body', 'items.body'])).toEqual(['body', 'items.body']);
    expect(() => of(['items.text'])).toThrow(
      'replaceThing: x-read-fields names items.text, which the answer does not have or requires',
    );
    expect(() => of(['items.body'], ['body'])).toThrow('replaceThing: x-read-fields names items.body');
  });

  it('knows what callers without read permission get in fields that the response requires', () => {
    const of = (unread: Record<string, string | 0>) => {
      const changed = document();
      const operation = changed.paths['/v1/things/{id}']!['put']!;
      const item = {
        type: 'object',
        required: ['added', 'changed'],
        properties: { added: { type: 'integer' }, changed: { type: 'integer' }, body: { type: 'string' } },
      };
      operation.responses['200'] = {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['count'],
              properties: { count: { type: 'integer' }, items: { type: 'array', items: item } },
            },
          },
        },
      };
      operation['x-unread'] = unread;
      return modelOperations(changed).find(({ spec }) => spec.id === 'replaceThing')!.spec.unread;
    };
    expect(of({ count: 0, 'items.added': 'changed' })).toEqual({ count: 0, 'items.added': 'changed' });
    expect(() => of({ items: 0 })).toThrow('replaceThing: x-unread names items');
    expect(() => of({ other: 0 })).toThrow('replaceThing: x-unread names other');
    expect(() => of({ 'items.added': 'body' })).toThrow(
      'replaceThing: x-unread names items.added, which the answer does not require, or body, which it may lack',
    );
  });

  it('knows the fields of the input that ask what is stored, if the input has them', () => {
    const of = (conditions: string[]) => {
      const changed = document();
      changed.components.schemas['ReplaceThingRequest']!.properties = {
        options: { type: 'object', properties: { skip: { type: 'boolean' } } },
      };
      changed.paths['/v1/things/{id}']!['put']!['x-conditions'] = conditions;
      return modelOperations(changed).find(({ spec }) => spec.id === 'replaceThing')!.spec.conditions;
    };
    expect(of(['idempotencyKey', 'options.skip'])).toEqual(['idempotencyKey', 'options.skip']);
    expect(() => of(['options.other'])).toThrow(
      'replaceThing: x-conditions names options.other, which the input does not have',
    );
  });

  describe('with a list that has pages', () => {
    const list = { type: 'array', items: { type: 'string' } };
    const ending = { truncated: { type: 'boolean' }, nextOffset: { type: 'integer' } };
    const headers = { 'X-Total-Count': {}, 'X-Truncated': {}, 'X-Next-Offset': {} };
    const of = (pages: string, answer: SchemaObject, more: { input?: string[]; headers?: object } = {}) => {
      const changed = document();
      const operation = changed.paths['/health']!['get']!;
      operation.parameters = (more.input ?? ['offset', 'limit']).map((name) => ({
        name,
        in: 'query',
        schema: { type: 'integer' },
      }));
      operation.responses['200'] = {
        content: { 'application/json': { schema: answer } },
        headers: { ...more.headers },
      };
      operation['x-pages'] = pages;
      return modelOperations(changed).find(({ spec }) => spec.id === 'getHealth')!.spec.pages;
    };

    it('knows its field, or that it is the response itself', () => {
      expect(of('items', { type: 'object', properties: { items: list, ...ending } })).toBe('items');
      expect(of('items', { oneOf: [{ type: 'object' }, { type: 'object', properties: { items: list, ...ending } }] }))
        .toBe('items');
      expect(of('*', list, { headers })).toBe('*');
    });

    it('refuses one that is not there, or that could not be paged or say that it was cut', () => {
      expect(() => of('items', { type: 'object', properties: { items: { type: 'string' }, ...ending } })).toThrow(
        'getHealth: x-pages names items, which is no list of the answer',
      );
      expect(() => of('items', { type: 'array', items: { type: 'object', properties: { items: list, ...ending } } }))
        .toThrow('x-pages names items, which is no list of the answer');
      expect(() => of('items', { type: 'object', properties: { items: list, truncated: ending.truncated } })).toThrow(
        'x-pages needs truncated and nextOffset beside items',
      );
      expect(() => of('*', { type: 'object', properties: { items: list, ...ending } }, { headers })).toThrow(
        'x-pages says that the answer is a list, which it is not',
      );
      expect(() => of('*', list)).toThrow(
        'x-pages needs the headers X-Total-Count, X-Truncated, X-Next-Offset in the answer',
      );
      expect(() => of('items', { type: 'object', properties: { items: list, ...ending } }, { input: ['limit'] }))
        .toThrow('x-pages needs offset in the input');
    });
  });

  it('knows further success statuses that are named, if they are described alike', () => {
    const changed = document();
    const operation = changed.paths['/health']!['get']!;
    operation['x-other-statuses'] = [202];
    expect(() => modelOperations(changed)).toThrow(
      'getHealth: x-other-statuses names 202, which is not described or has other media types',
    );
    operation.responses['202'] = { description: '' };
    expect(() => modelOperations(changed)).toThrow('has other media types');
    operation.responses['202'] = operation.responses['200']!;
    expect(modelOperations(changed).find(({ spec }) => spec.id === 'getHealth')!.spec).toMatchObject({
      status: 200,
      otherStatuses: [202],
    });
  });

  it('leaves to the handler what it has to check late', () => {
    const changed = document();
    changed.components.schemas['ReplaceThingRequest']!.properties!['name'] = {
      type: 'string',
      enum: ['a'],
      'x-late': true,
    };
    expect(modelOperations(changed)[0]!.input.properties!['name']).toEqual({ type: 'string', 'x-late': true });
  });

  it('refuses an operation with two success statuses', () => {
    const broken = document();
    broken.paths['/health']!['get']!.responses['204'] = { description: '' };
    expect(() => modelOperations(broken)).toThrow(/getHealth: expected exactly one success status, got 200, 204/);
  });
});

describe('the input schemas', () => {
  it('are self-contained and hold no definition that they do not need', () => {
    const inputs = JSON.parse(emitInputs(document(), modelOperations(document()))) as Record<string,
      { $defs: object; properties: object }>;
    expect(Object.keys(inputs['replaceThing']!.$defs)).toEqual(['Limit', 'Name']);
    expect(inputs['replaceThing']!.properties).toMatchObject({
      name: { $ref: '#/$defs/Name' },
      idempotencyKey: { 'x-error': 'idempotency_key_required' },
    });
  });
});

describe('the types', () => {
  it('map every operation to its flat input and its output', () => {
    const text = emitOperations('thing', modelOperations(document()));
    expect(text).toContain(
      `replaceThing: Operation<FlatInput<NonNullable<ReplaceThingData['body']> & ` +
        `NonNullable<ReplaceThingData['path']> & NonNullable<ReplaceThingData['query']> & { idempotencyKey: string }, ` +
        `'limit' | 'flag'>, ReplaceThingResponses[200]>;`,
    );
    expect(text).toContain('getHealth: Operation<Record<never, never>, GetHealthResponses[200]>;');
  });
});

describe('the standard responses', () => {
  it('follow from access, effect and input', () => {
    const { paths } = addStandardResponses(document());
    expect(Object.keys(paths['/v1/things/{id}']!['put']!.responses)).toEqual(['200', '400', '401', '403', '413', '415',
      '500', '503']);
    expect(Object.keys(paths['/health']!['get']!.responses)).toEqual(['200', '500', '503']);
  });

  it('state the credentials that access asks for', () => {
    const { paths } = addStandardResponses(document());
    expect(paths['/v1/things/{id}']!['put']!.security).toEqual([{ bearer: [] }]);
    expect(paths['/health']!['get']!.security).toEqual([]);
  });
});
