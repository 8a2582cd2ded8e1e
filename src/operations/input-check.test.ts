import { describe, expect, it } from 'vitest';
import { createInputCheck } from './input-check.ts';
import { createInputValidators } from './input-validators.ts';
import type { OperationSpec } from './spec.ts';

const SCHEMA = {
  type: 'object',
  required: ['name', 'items'],
  properties: {
    name: { type: 'string' },
    size: { type: 'integer', default: 5 },
    shape: { type: 'array', items: { type: 'number' } },
    items: { type: 'array', minItems: 1, maxItems: 5000, items: { $ref: '#/$defs/Item' } },
  },
  $defs: {
    Item: {
      type: 'object',
      required: ['key'],
      properties: { key: { type: 'string' }, color: { type: 'string', default: 'red' }, weight: { type: 'number' } },
    },
  },
};

/** Checks an input; resolves to the warnings, or to the error. */
async function check(input: object,
  { strict = true, ...spec }: Partial<OperationSpec> & { strict?: boolean } = {}): Promise<unknown>
{
  const validator = await createInputValidators({ it: SCHEMA }).compile('it');
  try {
    return await createInputCheck({ it: SCHEMA }, strict)({ sanitize: false, ...spec } as OperationSpec, 'it',
      validator, input);
  } catch (error) {
    const { code, message, errors } = error as { code: string; message: string; errors?: readonly string[] };
    return { code, message, errors };
  }
}

const items = (count: number, change: (i: number) => object = () => ({})): object[] =>
  Array.from({ length: count }, (_, i) => ({ key: `k${i}`, ...change(i) }));

describe('the check of an input', () => {
  it('completes the items of a long list, and the input', async () => {
    const input = { name: 'a', items: items(300) };
    expect(await check(input)).toEqual([]);
    expect(input).toMatchObject({ size: 5, items: items(300, () => ({ color: 'red' })) });
  });

  it('names the item of a long list', async () => {
    const wrong = items(300, (i) => (i === 150 ? { key: 7 } : i === 299 ? { weight: 'much' } : {}));
    expect(await check({ name: 'a', items: wrong })).toMatchObject({
      code: 'invalid_argument',
      errors: ['items[150].key must be a string, got 7', 'items[299].weight must be a number, got a string'],
    });
    expect(await check({ items: items(300, (i) => (i === 200 ? { key: undefined } : {})) })).toMatchObject({
      code: 'missing_fields',
      message: 'missing fields: items[200].key, name',
    });
  });

  it('names unknown fields of a long list, and ignores them where it may', async () => {
    const strange = items(300, (i) => (i === 130 ? { colour: 'red' } : {}));
    const message = 'unknown field "items[130].colour"; did you mean "items[130].color"?';
    expect(await check({ name: 'a', items: strange })).toMatchObject({ message });
    expect(await check({ name: 'a', items: strange }, { strict: false })).toEqual([
      'unknown field "items[130].colour" is ignored; did you mean "items[130].color"?',
    ]);
  });

  it('ends after 20 errors of a long list', async () => {
    expect(await check({ name: 'a', items: Array.from({ length: 5000 }, () => 0) })).toMatchObject({
      errors: { length: 20 },
    });
    expect(await check({ name: 'a', items: Array.from({ length: 5001 }, () => 0) })).toMatchObject({
      message: 'items must have at most 5000 items',
    });
  });

  it('lets other work come before and after the validation of many values', async () => {
    const input = (last: unknown) => ({
      name: 'a',
      items: items(1),
      shape: [...Array.from({ length: 20_000 }, (_, i) => i), last],
    });
    const turns: string[] = [];
    setImmediate(() => turns.push('other work'));
    const checked = check(input(1)).then((warnings) => turns.push(JSON.stringify(warnings)));
    await checked;
    expect(turns).toEqual(['other work', '[]']);
    expect(await check(input('x'))).toMatchObject({ message: 'shape[20000] must be a number, got a string' });
  });

  it.each([[Infinity], [-Infinity], [Number.NaN]])('refuses the number %s by its field', async (weight) => {
    expect(await check({ name: 'a', items: items(2, () => ({ weight })) })).toMatchObject({
      code: 'invalid_argument',
      message: `items[0].weight must be a finite number, got ${weight}`,
    });
    expect(await check({ name: 'a', items: items(300, (i) => (i < 150 ? {} : { weight })) })).toMatchObject({
      message: `items[150].weight must be a finite number, got ${weight}`,
    });
  });

  it.each([3, 300])('refuses more text and values than the operation takes, with %i items', async (count) => {
    const input = { name: 'a', items: items(count, () => ({ color: 'c'.repeat(1000) })) };
    expect(await check(input, { maxBody: 2048 })).toEqual({
      code: 'payload_too_large',
      message: 'the input has more than 2KiB; send less at once',
    });
    expect(await check(input, { maxValues: 4 })).toMatchObject({
      code: 'invalid_argument',
      message: 'the input must not have more than 4 values; send less at once',
    });
    expect(await check(input, { maxBody: 1_000_000, maxValues: 10_000 })).toEqual([]);
  });
});
