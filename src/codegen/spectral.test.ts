import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from './openapi-types.ts';
import { lintWithSpectral } from './spectral.ts';

function description(): Record<string, unknown> & { info: Record<string, unknown> } {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Shop',
      version: '1.0.0',
      description: 'Sells.',
      contact: { name: 'The shop' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: [{ name: 'goods', description: 'What is sold.' }],
    paths: {
      '/v1/goods': {
        get: {
          operationId: 'listGoods',
          tags: ['goods'],
          summary: 'Lists goods',
          description: 'Lists goods.',
          security: [],
          responses: {
            200: {
              description: 'The goods',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Goods' }, example: ['pen'] } },
            },
          },
        },
      },
    },
    components: { schemas: { Goods: { type: 'array', description: 'Names.', items: { type: 'string' } } } },
  };
}

const lint = (document: object) => lintWithSpectral(document as unknown as OpenApiDocument, 'shop');

describe('Spectral', () => {
  it('passes a description with nothing to report, and leaves it as it was', async () => {
    const document = description();
    await lint(document);
    expect(document).toEqual(description());
  });

  it('refuses one that breaks a rule, a warning included, and names the rule and the place', async () => {
    const document = description();
    delete document.info['contact'];
    document['components'] = { schemas: { Goods: { type: 'array', prefixItems: [{ type: 'string' }] } } };
    await expect(lint(document)).rejects.toThrow(
      /2 problems in the shop specification[\s\S]*warning info-contact: [\s\S]*#\/info\n[\s\S]*error array-items: [\s\S]*#\/components\/schemas\/Goods/,
    );
  });

  it('refuses an example that its schema does not allow', async () => {
    const text = JSON.stringify(description()).replace('["pen"]', '[7]');
    await expect(lint(JSON.parse(text) as object)).rejects.toThrow('oas3-valid-media-example');
  });

  it('names every place of such an example', async () => {
    const text = JSON.stringify(description()).replace('["pen"]', '[7]');
    const document = JSON.parse(text) as { paths: Record<string, { get: { operationId: string } }> };
    const other = structuredClone(document.paths['/v1/goods']!);
    other.get.operationId = 'listOthers';
    document.paths['/v1/others'] = other;
    await expect(lint(document)).rejects.toThrow(/2 problems[\s\S]*paths\/~1v1~1goods\/[\s\S]*paths\/~1v1~1others\//);
  });

  it('accepts an example under one schema, and refuses it under another', async () => {
    const document = description() as unknown as {
      paths: Record<string,
        { get: { operationId: string; responses: { 200: { content: Record<string, { schema: object }> } } } }>;
    };
    const other = structuredClone(document.paths['/v1/goods']!);
    other.get.operationId = 'listOthers';
    other.get.responses[200].content['application/json']!.schema = { type: 'array', items: { type: 'integer' } };
    document.paths['/v1/others'] = other;
    await expect(lint(document)).rejects.toThrow(
      /1 problems[\s\S]*oas3-valid-media-example: [\s\S]*paths\/~1v1~1others\//,
    );
  });
});
