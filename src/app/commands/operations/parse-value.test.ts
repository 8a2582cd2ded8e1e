import fc from 'fast-check';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Field, fieldsOf, flagOf, type InputSchema } from './fields.ts';
import { valueOf } from './parse-value.ts';

const SCHEMA: InputSchema = {
  type: 'object',
  required: ['key'],
  properties: {
    contentMd: { type: 'string' },
    key: { $ref: '#/$defs/Key' },
    limit: { type: 'integer' },
    alpha: { type: ['number', 'null'] },
    purge: { type: 'boolean', default: true },
    events: { type: 'array', items: { type: 'string', enum: ['doc.added', 'doc.deleted'] } },
    sort: { enum: ['key', 'addedAt'] },
    meta: {
      type: 'object',
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    geo: { type: 'object', properties: { lat: { type: 'number' } } },
    filter: { oneOf: [{ type: 'string' }, { type: 'object' }] },
    'files[]': { type: 'array', items: { type: 'object' } },
    file: { 'x-file': true },
  },
  $defs: { Key: { type: 'string', description: 'Key of a document; any case.' } },
};
const fields = fieldsOf(SCHEMA);
const field = (name: string): Field => fields.find((each) => each.name === name)!;
const parse = (name: string, ...texts: string[]) =>
  valueOf(field(name), texts, Readable.from([Buffer.from('from standard input')]));

describe('fieldsOf', () => {
  it('reports how each field is given, those that are needed first', () => {
    expect(fields.map(({ name, kind }) => [name, kind])).toEqual([['key', 'string'], ['contentMd', 'string'], ['limit',
      'integer'], ['alpha', 'number'], ['purge', 'boolean'], ['events', 'strings'], ['sort', 'string'], ['meta',
      'lists'], ['headers', 'map'], ['geo', 'json'], ['filter', 'loose'], ['files[]', 'json'], ['file', 'file']]);
    expect(field('key')).toMatchObject({ required: true, description: 'Key of a document; any case.', flag: 'key' });
    expect(field('events').choices).toEqual(['doc.added', 'doc.deleted']);
  });

  it.each([['contentMd', 'content-md'], ['files[]', 'files'], ['ifMatch', 'if-match'], ['topK', 'top-k'], ['dryRun',
    'dry-run']])('%s is --%s', (name, flag) => {
      expect(flagOf(name)).toBe(flag);
    });
});

describe('valueOf', () => {
  it.each<[string, string[], unknown]>([['contentMd', ['text'], 'text'], ['contentMd', ['@-'], 'from standard input'], [
    'contentMd',
    ['@@home'],
    '@home',
  ], ['limit', ['12'], 12], ['limit', ['-1'], -1], ['alpha', ['.5'], 0.5], ['events', ['doc.added,doc.deleted'], [
    'doc.added',
    'doc.deleted',
  ]], ['events', ['doc.added', '["doc.deleted"]'], ['doc.added', 'doc.deleted']], ['meta', ['tags=a', 'tags=b=c',
    'title='], { tags: ['a', 'b=c'], title: [''] }], ['meta', ['{"tags": ["a"], "title": "T"}', 'tags=b'], {
    tags: ['a', 'b'],
    title: 'T',
  }], ['headers', ['a=1', 'a=2'], { a: '2' }], ['geo', ['{"lat": 1}'], { lat: 1 }], ['filter', ['{"a": 1}'], { a: 1 }],
    ['filter', ['a > 1'], 'a > 1']])('%s from %j', async (name, texts, value) => {
      expect(await parse(name, ...texts)).toEqual(value);
    });

  it.each<[string, string, RegExp]>([['limit', '1.5', /^--limit 1.5: expected a whole number$/], ['alpha', '',
    /expected a number/], ['sort', 'addedat', /expected one of key, addedAt; did you mean addedAt\?$/], ['events',
    'doc.add', /expected some of doc.added, doc.deleted; did you mean/], ['meta', 'tags',
    /^--meta tags: expected key=value or a JSON object$/], ['geo', 'here', /^--geo: expected JSON, or @FILE with it/], [
    'contentMd',
    '@/none/there',
    /^--content-md: ENOENT/,
  ]])('%s refuses %j', async (name, text, message) => {
    await expect(parse(name, text)).rejects.toThrow(message);
  });

  it('takes every text that is not a file as it is', async () => {
    await fc.assert(fc.asyncProperty(fc.string(), async (text) => {
      expect(await parse('contentMd', text.startsWith('@') ? `@${text}` : text)).toBe(text);
    }));
  });
});
