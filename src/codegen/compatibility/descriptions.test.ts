import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../openapi-types.ts';
import { breakingChanges } from './descriptions.ts';

type Node = Record<string, unknown>;

/** One operation, with a body, a parameter in each location, a response with a header, an error, and a webhook. */
function shop(): Node {
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1.0.0' },
    paths: {
      '/v1/goods/{id}': {
        put: {
          operationId: 'setGood',
          'x-access': 'write',
          security: [{ bearer: [] }, { apiKey: [] }],
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }, {
            name: 'limit',
            in: 'query',
            schema: { type: 'integer', maximum: 100 },
          }, { name: 'If-Match', in: 'header', schema: { type: 'string' } }],
          requestBody: {
            required: false,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Good' } } },
          },
          responses: {
            200: {
              description: 'Done',
              headers: { ETag: { schema: { type: 'string' } } },
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Good' } } },
            },
            404: { description: 'None' },
          },
        },
      },
    },
    webhooks: {
      sold: {
        post: {
          operationId: 'receiveSold',
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Good' } } } },
          responses: { 200: { description: 'Taken' } },
        },
      },
    },
    components: {
      schemas: {
        Good: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, size: { type: 'string', enum: ['s', 'm'] } },
        },
      },
    },
  };
}

const OPERATION = 'PUT /v1/goods/{id} (setGood)';

/** The findings after the description is changed at paths such as `paths./v1/goods.put`. */
function changed(change: (operation: Node, document: Node) => void): string[] {
  const present = shop();
  change(((present['paths'] as Node)['/v1/goods/{id}'] as Node)['put'] as Node, present);
  return breakingChanges(shop() as unknown as OpenApiDocument, present as unknown as OpenApiDocument);
}

const parameter = (operation: Node, index: number): Node => (operation['parameters'] as Node[])[index]!;
const good = (document: Node): Node & { properties: Node; required: string[] } =>
  ((document['components'] as Node)['schemas'] as Node)['Good'] as never;

describe('a change that breaks clients', () => {
  it.each<[string, (operation: Node, document: Node) => void, string[]]>([['an operation is gone', (_, document) => {
    document['paths'] = {};
  }, [`${OPERATION}: was removed`]], ['an operation has another id', (operation) => {
    operation['operationId'] = 'putGood';
  }, [`${OPERATION}: operationId is now putGood, by which clients name their functions`]], [
    'an operation needs other rights',
    (operation) => {
      operation['x-access'] = 'admin';
    },
    [`${OPERATION}: needs other rights: x-access is admin, was write`],
  ], ['a credential is no longer taken', (operation) => {
    operation['security'] = [{ bearer: [] }];
  }, [`${OPERATION}: no longer takes the credential apiKey`]], ['a parameter is gone', (operation) => {
    (operation['parameters'] as Node[]).splice(1, 1);
  }, [`${OPERATION}: query parameter limit was removed`]], ['a parameter is now required', (operation) => {
    parameter(operation, 2)['required'] = true;
  }, [`${OPERATION}: header if-match is now required`]], ['a required parameter is added', (operation) => {
    (operation['parameters'] as Node[]).push({ name: 'q', in: 'query', required: true, schema: { type: 'string' } });
  }, [`${OPERATION}: query parameter q was added and is required`]], ['a parameter takes less', (operation) => {
    parameter(operation, 1)['schema'] = { type: 'integer', maximum: 50 };
  }, [`${OPERATION}: query parameter limit takes less: maximum is 50, was 100`]], [
    'a parameter is written in another way',
    (operation) => {
      parameter(operation, 1)['style'] = 'deepObject';
    },
    [`${OPERATION}: query parameter limit is written in another way: style and explode are ["deepObject",null], were ` +
      '[null,null]'],
  ], ['a body is now required', (operation) => {
    (operation['requestBody'] as Node)['required'] = true;
  }, [`${OPERATION}: body is now required`]], ['a body is gone', (operation) => {
    delete operation['requestBody'];
  }, [`${OPERATION}: body was removed`]], ['a media type is gone', (operation) => {
    (operation['requestBody'] as Node)['content'] = { 'text/plain': {} };
  }, [`${OPERATION}: body as application/json was removed`]], ['a status is gone', (operation) => {
    delete (operation['responses'] as Node)['404'];
  }, [`${OPERATION}: status 404 was removed`]], ['a header of an answer is gone', (operation) => {
    delete ((operation['responses'] as Node)['200'] as Node)['headers'];
  }, [`${OPERATION}: status 200: header ETag was removed`]], ['a field is newly required', (_, document) => {
    good(document).required.push('size');
  }, [`${OPERATION}: body.size is now required`]], ['a field is no longer guaranteed', (_, document) => {
    good(document).required = [];
  }, [`${OPERATION}: status 200: body.name may now be absent`, 'webhook sold: body.name may now be absent']], [
    'a field is gone',
    (_, document) => {
      delete good(document).properties['size'];
    },
    [`${OPERATION}: body.size was removed`, `${OPERATION}: status 200: body.size was removed`,
      'webhook sold: body.size was removed'],
  ], ['a value is gone', (_, document) => {
    good(document).properties['size'] = { type: 'string', enum: ['s'] };
  }, [`${OPERATION}: body.size no longer takes "m"`]], ['a value is added that answers may have', (_, document) => {
    good(document).properties['size'] = { type: 'string', enum: ['s', 'm', 'l'] };
  }, [`${OPERATION}: status 200: body.size may now be "l"`, 'webhook sold: body.size may now be "l"']], [
    'a field may be null',
    (_, document) => {
      good(document).properties['name'] = { type: ['string', 'null'] };
    },
    [`${OPERATION}: status 200: body.name may now be null`, 'webhook sold: body.name may now be null'],
  ], ['a field has another type', (_, document) => {
    good(document).properties['name'] = { type: 'integer' };
  }, [`${OPERATION}: body.name no longer takes string`, `${OPERATION}: status 200: body.name may now be integer`,
    'webhook sold: body.name may now be integer']], ['a webhook is gone', (_, document) => {
    document['webhooks'] = {};
  }, ['webhook sold: was removed']]])('%s', (_, change, findings) => expect(changed(change)).toEqual(findings));
});

describe('a change that breaks nobody', () => {
  it.each<[string, (operation: Node, document: Node) => void]>([['nothing changes', () => {}], [
    'operations, webhooks and schemas are added',
    (operation, document) => {
      (document['paths'] as Node)['/v1/sales'] = { get: { ...operation, operationId: 'listSales' } };
      (document['webhooks'] as Node)['lost'] = (document['webhooks'] as Node)['sold'];
    },
  ], ['an optional parameter and a status of an error are added', (operation) => {
    (operation['parameters'] as Node[]).push({ name: 'q', in: 'query', schema: { type: 'string' } });
    (operation['responses'] as Node)['409'] = { description: 'Sold' };
  }], ['a parameter of the path and a header are spelt in another way', (operation, document) => {
    parameter(operation, 0)['name'] = 'goodId';
    parameter(operation, 2)['name'] = 'if-match';
    document['paths'] = { '/v1/goods/{goodId}': { put: operation } };
  }], ['an optional field is added', (_, document) => {
    good(document).properties['colour'] = { type: 'string' };
  }], ['a schema has another name', (operation, document) => {
    document['components'] = { schemas: { Article: good(document) } };
    Object.assign(document, JSON.parse(JSON.stringify(document).replaceAll('schemas/Good', 'schemas/Article')));
    Object.assign(operation, JSON.parse(JSON.stringify(operation).replaceAll('schemas/Good', 'schemas/Article')));
  }], ['fewer rights are needed', (operation) => {
    operation['x-access'] = 'user';
    operation['security'] = [{}];
  }], ['descriptions and examples change', (operation, document) => {
    operation['description'] = 'New.';
    good(document)['examples'] = [{ name: 'pen' }];
  }]])('%s', (_, change) => expect(changed(change)).toEqual([]));
});
