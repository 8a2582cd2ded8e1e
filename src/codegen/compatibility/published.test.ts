import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICES } from '../manifest.ts';
import { type OpenApiDocument, SpecificationError } from '../openapi-types.ts';
import { checkPublished, publishDescription } from './published.ts';
import { withoutProse } from './without-prose.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

function shop(version: string, schema: object): OpenApiDocument {
  const responses = { 200: { description: 'Done' } };
  const body = { content: { 'application/json': { schema, example: 'pen' } } };
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version, description: 'Sells.' },
    paths: { '/v1/buy': { post: { operationId: 'buy', 'x-access': 'public', requestBody: body, responses } } },
  } as unknown as OpenApiDocument;
}

describe('a description that was published', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'quire-published-'));
    await publishDescription(root, 'shop', shop('1.4.0', { type: 'string', pattern: '^[a-c]$' }));
  });
  afterEach(() => rm(root, { recursive: true }));

  const check = (version: string, schema: object) => checkPublished(root, 'shop', shop(version, schema));

  it('may change as long as nobody breaks', () => check('1.5.0', { type: ['string', 'null'], pattern: '^[a-c]$' }));

  it('refuses a change that breaks clients, with the place and the way out', async () => {
    await expect(check('1.5.0', { type: 'integer' })).rejects.toThrow(SpecificationError);
    await expect(check('1.5.0', { type: 'integer' })).rejects.toThrow(
      /1 changes of the shop description break clients of version 1\.4\.0:\nPOST \/v1\/buy \(buy\): body no longer takes string\n.*version 2\.0\.0/,
    );
  });

  it('lets the next major version break them', () => check('2.0.0', { type: 'integer' }));

  it('lets a pattern change that somebody has looked at, until the next release', async () => {
    const wider = { type: 'string', pattern: '^[a-z]$' };
    const finding = 'POST /v1/buy (buy): body may take less: pattern is "^[a-z]$", was "^[a-c]$"';
    await expect(check('1.5.0', wider)).rejects.toThrow(finding);
    await writeFile(join(root, 'openapi', 'published', 'shop.accepted.yaml'),
      `'${finding}': It takes all that it took.\n`);
    await check('1.5.0', wider);
    await publishDescription(root, 'shop', shop('1.5.0', wider));
    await expect(check('1.6.0', { type: 'string', pattern: '^[a-c]$' })).rejects.toThrow('may take less');
  });

  it('lets nothing be accepted that a program can decide', async () => {
    await writeFile(join(root, 'openapi', 'published', 'shop.accepted.yaml'),
      "'POST /v1/buy (buy): body no longer takes string': Nobody minds.\n");
    await expect(check('1.5.0', { type: 'integer' })).rejects.toThrow('no longer takes string');
  });

  it('is not needed before there is a release', () => checkPublished(root, 'library', shop('1.0.0', {})));
});

describe('the descriptions', () => {
  it.each(SERVICES)('of %s break no client of the last release', async (service) => {
    const present = JSON.parse(
      await readFile(join(ROOT, 'generated', service, 'openapi.json'), 'utf8'),
    ) as OpenApiDocument;
    await checkPublished(ROOT, service, present);
  });
});

describe('what is kept of a description', () => {
  it('is what clients depend on, with fields and values named as prose is', () => {
    const schema = {
      type: 'object',
      description: 'A good.',
      properties: {
        description: { type: 'string', description: 'Said of it.', default: { title: 'x' } },
        examples: { enum: ['summary'], examples: ['summary'] },
      },
    };
    expect(withoutProse(shop('1.0.0', schema))).toEqual({
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1.0.0' },
      paths: {
        '/v1/buy': {
          post: {
            operationId: 'buy',
            'x-access': 'public',
            responses: { 200: {} },
            requestBody: {
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    properties: {
                      description: { type: 'string', default: { title: 'x' } },
                      examples: { enum: ['summary'] },
                    },
                  },
                },
              },
            },
          },
        },
      },
    });
  });
});
