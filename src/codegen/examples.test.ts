import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from './openapi-types.ts';
import { checkExamples } from './spectral.ts';

function check(operation: object): void {
  const responses = { 200: { $ref: '#/components/responses/Good' } };
  const document = {
    paths: { '/v1/buy': { post: { operationId: 'buy', responses, ...operation } } },
    components: {
      schemas: { Size: { type: 'string', enum: ['s', 'm'] } },
      responses: {
        Good: { description: 'A good', content: { 'application/json': { example: {} } } },
        Bare: { description: 'A good', content: { 'application/json': {} } },
      },
      parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
    },
  };
  checkExamples(document as unknown as OpenApiDocument, 'shop');
}

const parameter = (rest: object) => ({ name: 'size', in: 'query', schema: { type: 'string' }, ...rest });

describe('an operation', () => {
  it.each<[string, object, string]>([['a body', {
    requestBody: { content: { 'application/json': { examples: {} }, 'text/csv': {} } },
  }, 'buy: the body has no example'], ['a required parameter', {
    parameters: [{ $ref: '#/components/parameters/Id' }, parameter({ example: 's' })],
  }, 'buy: the path parameter id has no example'], ['any parameter', { parameters: [parameter({})] },
    'buy: none of the parameters has an example'], ['its answer', {
    responses: { 200: { $ref: '#/components/responses/Bare' } },
  }, 'buy: the answer 200 has no example'], ['another successful answer', {
    responses: { 200: { $ref: '#/components/responses/Good' }, 202: { $ref: '#/components/responses/Bare' } },
  }, 'buy: the answer 202 has no example']])('without an example of %s is refused', (_, operation, message) => {
    expect(() => check(operation)).toThrow(`1 examples are missing in the shop specification:\n${message}`);
  });

  it.each<[string, object]>([['it takes nothing', {}], ['its body has an example in one of its types', {
    requestBody: {
      content: { 'application/octet-stream': {}, 'application/json': { examples: { one: { value: 1 } } } },
    },
  }], ['its parameter lists its values', {
    parameters: [parameter({ required: true, schema: { $ref: '#/components/schemas/Size' } })],
  }], ['its parameter has an example in its schema', {
    parameters: [parameter({ required: true, schema: { type: 'string', examples: ['s'] } })],
  }], ['its answer is not JSON, or an error', {
    responses: {
      200: { description: 'An archive', content: { 'application/zip': {} } },
      404: { $ref: '#/components/responses/Bare' },
    },
  }]])('can be tried when %s', (_, operation) => expect(() => check(operation)).not.toThrow());
});
