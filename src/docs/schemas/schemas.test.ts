import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../operations/index.ts';
import { ChangeFeed, DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { UNRESTRICTED } from '../../testkit/unrestricted.ts';
import { createSchemas, Effort, type Schemas, type ValidationSchema } from './index.ts';

const context = UNRESTRICTED as Context;
const rules: ValidationSchema = {
  required: ['category'],
  properties: { category: { type: 'string', enum: ['news', 'blog'], maxItems: 1 } },
};

let sql: Sql;
let feed: ChangeFeed;
let schemas: Schemas;

beforeEach(async () => {
  sql = await openMigrated({ path: ':memory:' }, DOCUMENT_MIGRATIONS);
  feed = new ChangeFeed(sql);
  schemas = createSchemas({ sql, feed });
  await schemas.load();
});

const set = (schema: ValidationSchema | string, collection = 'blog') =>
  schemas.handlers.setSchema({ collection, schema }, context);
const get = (collection = 'blog') => schemas.handlers.getSchema({ collection }, context);
const validate = (meta: Record<string, string[]>) =>
  schemas.handlers.validateDocument({ collection: 'blog', meta }, context);
const kinds = async () => (await feed.read(0, 100)).map(({ kind, collection }) => `${kind} ${collection}`);

describe('a schema (contract section 4)', () => {
  it('is null until it is set', async () => {
    expect(await get()).toEqual({ collection: 'blog', schema: null });
  });

  it.each([['an object', rules], ['a JSON string', JSON.stringify(rules)]])(
    'is accepted as %s and returned as an object (decision D-48)',
    async (_, schema) => {
      expect(await set(schema)).toEqual({ status: 'ok' });
      expect(await get()).toEqual({ collection: 'blog', schema: rules });
    },
  );

  it('is found in any letter case, survives a restart and is in the feed', async () => {
    await set(rules, 'Blog');
    const later = createSchemas({ sql, feed });
    await later.load();
    expect(await later.handlers.getSchema({ collection: 'BLOG' }, context)).toEqual({
      collection: 'BLOG',
      schema: rules,
    });
    expect(await later.violations('bLOG', {})).toEqual(['required key "category" is missing']);
    expect(await kinds()).toEqual(['schema.put blog']);
  });

  it('is listed by its collection', async () => {
    await set(rules, 'zoo');
    await set({}, 'Arias');
    expect(await schemas.handlers.listSchemas({ offset: 0 }, context)).toEqual({
      schemas: [{ collection: 'arias', schema: {} }, { collection: 'zoo', schema: rules }],
    });
  });

  it('is deleted, once or again', async () => {
    await set(rules);
    for (let i = 0; i < 2; i++)
      expect(await schemas.handlers.deleteSchema({ collection: 'BLOG' }, context)).toEqual({ status: 'ok' });
    expect(await get()).toEqual({ collection: 'blog', schema: null });
    expect(await schemas.violations('blog', {})).toEqual([]);
    expect(await kinds()).toEqual(['schema.put blog', 'schema.delete blog']);
  });

  it('is replaced whole', async () => {
    await set(rules);
    await set({ required: ['title'] });
    expect(await schemas.violations('blog', { category: ['sport'] })).toEqual(['required key "title" is missing']);
  });

  it.each([['{', 'schema must be JSON: '], ['[]', 'schema must be an object'], ['null', 'schema must be an object'], [
    '{"required":"a"}',
    'schema.required must be an array of strings',
  ], ['{"properties":[]}', 'schema.properties must be an object'], ['{"properties":{"a":1}}',
    'schema.properties.a must be an object'], ['{"properties":{"a":{"type":"uuid"}}}',
    'schema.properties.a.type must be one of string, number, integer, boolean, date, got "uuid"'], [
    '{"properties":{"a":{"enum":[1]}}}',
    'schema.properties.a.enum must be an array of strings',
  ], ['{"properties":{"a":{"enum":[]}}}', 'schema.properties.a.enum must have 1 to 1000 items'], [
    '{"properties":{"a":{"maxItems":-1}}}',
    'schema.properties.a.maxItems must be an integer from 0 to 1000',
  ], ['{"properties":{"a":{"minItems":2,"maxItems":1}}}', 'schema.properties.a.minItems must not exceed maxItems'], [
    '{"properties":{"a":{"pattern":"("}}}',
    'schema.properties.a.pattern must be a regular expression',
  ], ['{"properties":{"a":{"pattern":"(a)\\\\1"}}}', 'backreferences are not supported']])('%s is refused with 400',
    async (schema, message) => {
      await expect(set(schema)).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(message) as string,
      });
      expect(await get()).toEqual({ collection: 'blog', schema: null });
    });

  it('never fails otherwise, whatever the text', async () => {
    await fc.assert(fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (text) => {
      await set(text).catch((error: unknown) => expect(error).toMatchObject({ code: 'invalid_argument' }));
    }), { numRuns: 200 });
  });
});

describe('violations (decision D-48)', () => {
  const check = async (rule: object, values: string[]) => {
    await set({ properties: { k: rule } });
    return schemas.violations('blog', { k: values });
  };

  it('has fixed texts', async () => {
    await set(rules);
    expect(await schemas.violations('blog', { other: ['x'] })).toEqual(['required key "category" is missing']);
    expect(await schemas.violations('blog', { category: [] })).toEqual(['required key "category" is missing']);
    expect(await schemas.violations('blog', { category: ['sport'] })).toEqual([
      'key "category": value "sport" is not in the allowed enum [news, blog]',
    ]);
    expect(await schemas.violations('blog', { category: ['news', 'blog'] })).toEqual([
      'key "category": 2 values exceed maxItems 1',
    ]);
    expect(await schemas.violations('blog', { category: ['news'] })).toEqual([]);
  });

  it.each(
    [['string', ['', 'anything'], []], ['number', ['1', '-2.5', '.5', '1e-9', '+3.'], ['', '1,5', 'NaN', '0x10',
      '1e999', ' 1']], ['integer', ['0', '-7', '+12', '99999999999999999999'], ['', '1.0', '1e3', 'one']], ['boolean', [
      'true',
      'false',
    ], ['', 'TRUE', 'yes', '1']], ['date', ['2025-12-22', '2024-02-29', '2025-12-22T10:00:00Z',
      '2025-12-22T10:00:00.5+01:00', '0099-01-01'], ['', '2025-02-29', '2025-13-01', '22.12.2025',
      '2025-12-22T25:00:00Z', '2025-12-22T10:00']]] as const,
  )('type %s is tested on the text', async (type, good, bad) => {
    expect(await check({ type }, [...good])).toEqual([]);
    const article = type === 'integer' ? 'an' : 'a';
    expect(await check({ type }, [...bad])).toEqual(
      bad.map((value) => `key "k": value "${value}" is not ${article} ${type}`),
    );
  });

  it('counts values where the key is present', async () => {
    expect(await check({ minItems: 2 }, ['a'])).toEqual(['key "k": 1 values are below minItems 2']);
    expect(await schemas.violations('blog', {})).toEqual([]);
  });

  it('looks for the pattern anywhere unless it is anchored', async () => {
    expect(await check({ pattern: 'b' }, ['abc'])).toEqual([]);
    expect(await check({ pattern: '^b' }, ['abc', 'b'])).toEqual([
      'key "k": value "abc" does not match the pattern ^b',
    ]);
  });

  it('ends on a pattern and a value that would keep a backtracking matcher busy', async () => {
    expect(await check({ pattern: '^(a+)+$' }, [`${'a'.repeat(8000)}!`])).toHaveLength(1);
  });

  describe('with a pattern that has hundreds of states on every character', () => {
    const costly = '(?:a|b)*a(?:a|b){200}c';
    /** Never the same two hundred letters twice, so that no cached result helps. */
    const values = (count: number) =>
      Array.from({ length: count }, (_, i) => {
        let state = i + 1;
        return Array.from({ length: 8000 },
          () => ((state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) & 65_536 ? 'a' : 'b')).join('');
      });

    it('stops after a limited number of steps, naming the key and the pattern', async () => {
      expect(await check({ pattern: costly }, values(1))).toEqual([
        expect.stringContaining('does not match the pattern'),
      ]);
      const problems = await check({ pattern: costly }, values(3));
      expect(problems.at(-1)).toBe(
        `key "k": checking the values against the pattern ${costly} takes more than 5000000 steps; shorten the ` +
          'values, send fewer at once, or simplify the pattern',
      );
      expect(problems.length).toBeLessThan(20);
      expect(await check({ pattern: costly }, values(3))).toEqual(problems);
    });

    it('lets others have their turn', async () => {
      await set({ properties: { k: { pattern: costly } } });
      let turns = 0;
      let isOver = false;
      const others = (async () => {
        for (; !isOver; turns++) await setImmediate();
      })();
      await schemas.violations('blog', { k: values(3) });
      isOver = true;
      await others;
      expect(turns).toBeGreaterThan(10);
    });

    it('shares its effort among the documents of a request', async () => {
      await set({ properties: { k: { pattern: costly }, l: { pattern: '^[a-z]+$' } } });
      const effort = new Effort(100_000);
      expect(await schemas.violations('blog', { l: ['ok'] }, effort)).toEqual([]);
      await schemas.violations('blog', { k: values(1) }, effort);
      expect(await schemas.violations('blog', { l: ['ok'] }, effort)).toEqual([
        expect.stringContaining('key "l": checking the values'),
      ]);
      expect(await schemas.violations('blog', { l: ['ok'] })).toEqual([]);
    });
  });

  it('knows keys that objects inherit from nowhere', async () => {
    await set({ required: ['toString', '__proto__'] });
    expect(await schemas.violations('blog', {})).toEqual(['required key "toString" is missing',
      'required key "__proto__" is missing']);
    await set('{"properties":{"__proto__":{"maxItems":0}}}');
    expect(await schemas.violations('blog', JSON.parse('{"__proto__":["a"]}') as Record<string, string[]>)).toEqual([
      'key "__proto__": 1 values exceed maxItems 0',
    ]);
  });

  it('reports the first hundred', async () => {
    expect(await check({ type: 'integer' }, Array.from({ length: 1000 }, () => 'x'))).toHaveLength(100);
  });
});

describe('POST /v1/validate', () => {
  it('returns the violations and writes nothing', async () => {
    await set(rules);
    expect(await validate({ category: ['sport'], tags: ['release'] })).toEqual({
      valid: false,
      errors: ['key "category": value "sport" is not in the allowed enum [news, blog]'],
      warnings: [],
    });
    expect(await feed.head()).toBe(1);
  });

  it('finds everything valid without a schema, and still warns of stringified maps (contract section 2)', async () => {
    const verdict = await validate({ faq: ['[{"question":"Why?"}]'], tags: ['[draft]'] });
    expect(verdict).toMatchObject({ valid: true, errors: [], warnings: [expect.stringContaining('key "faq"')] });
  });
});
