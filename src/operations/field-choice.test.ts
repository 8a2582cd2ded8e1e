import { describe, expect, it } from 'vitest';
import { createInputValidators } from './input-validators.ts';

const text = { type: 'string' };

async function violations(rule: object, input: object) {
  const schema = {
    type: 'object',
    properties: { name: text, a: text, b: text, c: text, d: text },
    required: ['name'],
    ...rule,
  };
  return (await createInputValidators({ op: schema }).compile('op'))(input);
}

const either = { anyOf: [{ required: ['a'] }, { required: ['b'] }] };
const pair = { anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }] };

describe('an input of which one field or another has to be there', () => {
  it.each<[string, object, object, string]>([['none of two', either, {}, 'missing fields: a or b'], ['none of three', {
    anyOf: [...either.anyOf, { required: ['c'] }],
  }, {}, 'missing fields: one of a, b, c'], ['none of a field and a pair', pair, {}, 'missing fields: a, or b and c'], [
    'none of two fields and a pair',
    { anyOf: [{ required: ['d'] }, ...pair.anyOf] },
    {},
    'missing fields: d, a, or b and c',
  ], ['half of a pair', pair, { c: '' }, 'missing fields: b'], ['none, where the schema has words for it', {
    ...either,
    'x-missing': 'one of b, a',
  }, {}, 'missing fields: one of b, a']])('that has %s is told what is missing', async (_, rule, input, message) => {
    expect(await violations(rule, { name: 'n', ...input })).toEqual({
      code: 'missing_fields',
      message,
      errors: [message],
    });
  });

  it.each([[{}], [{ a: '', b: '' }]])('is told to send one only, where %j has none or both of it', async (input) => {
    const message = 'send either a or b';
    expect(await violations({ oneOf: either.anyOf }, { name: 'n', ...input })).toEqual({
      code: 'invalid_argument',
      message,
      errors: [message],
    });
  });

  it('passes with one of them', async () => {
    for (const input of [{ a: '' }, { b: '' }, { a: '', b: '' }])
      expect(await violations(either, { name: 'n', ...input })).toBeUndefined();
    expect(await violations(pair, { name: 'n', b: '', c: '' })).toBeUndefined();
    expect(await violations({ oneOf: either.anyOf }, { name: 'n', b: '' })).toBeUndefined();
  });

  it('reports first the fields that are always required, and what is wrong', async () => {
    expect(await violations(either, {})).toMatchObject({
      message: 'missing fields: name',
      errors: ['missing fields: name'],
    });
    expect(await violations(either, { name: 'n', c: 1 })).toMatchObject({
      code: 'invalid_argument',
      message: 'c must be a string, got 1',
    });
  });

  it('is none where the alternatives say more than that', async () => {
    expect((await violations({ anyOf: [{ required: ['a'], properties: { a: { const: 'x' } } }, { required: ['b'] }] }, {
      name: 'n',
    }))!.message).toContain('missing fields: a, b');
  });
});
