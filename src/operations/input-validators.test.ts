import { describe, expect, it } from 'vitest';
import { createInputValidators } from './input-validators.ts';

const definitions = {
  Color: { type: 'string', enum: ['red', 'green'] },
  Shape: {
    type: 'object',
    required: ['color'],
    properties: { color: { $ref: '#/$defs/Color' }, parts: { type: 'array', items: { $ref: '#/$defs/Shape' } } },
  },
};
const ofShape = {
  type: 'object',
  required: ['shape'],
  properties: { shape: { $ref: '#/$defs/Shape' } },
  $defs: definitions,
};

const never = { rest: () => Promise.resolve() };

describe('the validators of inputs', () => {
  it('compile the definitions of an operation one by one, and let others work in between', async () => {
    const validators = createInputValidators({ draw: ofShape });
    const seen: boolean[] = [];
    const compiling = validators.compile('draw', {
      rest: async () => void seen.push(validators.compiled('draw') !== undefined),
    });
    expect(validators.compiled('draw')).toBeUndefined();
    const validator = await compiling;
    expect(seen).toEqual([false, false]);
    expect(validators.compiled('draw')).toBe(validator);
  });

  it('are compiled once for all who ask meanwhile', async () => {
    const validators = createInputValidators({ draw: ofShape });
    const [one, other] = await Promise.all([validators.compile('draw'), validators.compile('draw')]);
    expect(one).toBe(other);
  });

  it('share the definitions that another operation has compiled', async () => {
    // A specification has one definition of a name: the other one here shows which of them is used.
    const paint = {
      type: 'object',
      properties: { color: { $ref: '#/$defs/Color' } },
      $defs: { Color: { type: 'number' } },
    };
    const validators = createInputValidators({ draw: ofShape, paint });
    await validators.compile('draw', never);
    const validate = await validators.compile('paint', never);
    expect(validate({ color: 'red' })).toBeUndefined();
  });

  it('name the fields of nested definitions', async () => {
    const validate = await createInputValidators({ draw: ofShape }).compile('draw', never);
    expect(validate({ shape: { color: 'red', parts: [{ color: 'blue' }, {}] } })?.errors).toEqual([
      'missing fields: shape.parts[1].color',
      'shape.parts[0].color must be one of red, green, got "blue"',
    ]);
  });
});

/** A list that counts how many of its items are looked at. */
function counted(items: readonly unknown[]): { readonly list: unknown[]; readonly visits: () => number } {
  let visits = 0;
  const list = new Proxy([...items], {
    get(target, name) {
      if (typeof name === 'string' && /^\d/.test(name)) visits += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  return { list, visits: () => visits };
}

describe('the validation of long inputs', () => {
  const wrong = Array.from({ length: 100_000 }, () => 0);
  const listOf = (list: object): object => ({ type: 'object', properties: { list: { type: 'array', ...list } } });
  const validate = async (schema: object, input: object) =>
    (await createInputValidators({ it: schema }).compile('it', never))(input);

  it('ends after 20 wrong items', async () => {
    const { list, visits } = counted(wrong);
    const violations = await validate(listOf({ items: { type: 'string' } }), { list });
    expect(violations?.errors).toHaveLength(20);
    expect(violations?.errors.at(-1)).toBe('list[19] must be a string, got 0');
    expect(visits()).toBe(20);
  });

  it('ends after 20 wrong items of a definition, however deep their lists are', async () => {
    const { list, visits } = counted(wrong.map(() => ({ color: 'red', parts: wrong })));
    const violations = await validate({ ...listOf({ items: { $ref: '#/$defs/Shape' } }), $defs: definitions }, {
      list,
    });
    expect(violations?.errors).toHaveLength(20);
    expect(visits()).toBe(1);
  });

  it('looks at no item of a list that is too long', async () => {
    const { list, visits } = counted(wrong);
    expect((await validate(listOf({ items: { type: 'string' }, maxItems: 100 }), { list }))?.errors).toEqual([
      'list must have at most 100 items',
    ]);
    expect(visits()).toBe(0);
  });

  it('ends after 20 wrong values or keys of a map, and looks at none of one that is too large', async () => {
    const map = Object.fromEntries(wrong.map((value, i) => [`k${i}`, value]));
    const of = (rules: object) =>
      validate({ type: 'object', properties: { map: { type: 'object', ...rules } } }, { map });
    expect((await of({ additionalProperties: { type: 'string' } }))?.errors).toHaveLength(20);
    expect((await of({ propertyNames: { maxLength: 1 } }))?.errors).toHaveLength(20);
    expect((await of({
      maxProperties: 256,
      propertyNames: { maxLength: 1 },
      'x-scalars': true,
      additionalProperties: { type: 'array' },
    }))?.errors).toEqual(['map must have at most 256 keys']);
    expect(map['k0']).toBe(0);
  });

  it('refuses every alternative of a list on its own merits', async () => {
    const list = wrong.slice(0, 50);
    const alternatives = { anyOf: [{ items: { type: 'string' } }, { items: { type: 'boolean' } }] };
    expect(await validate(listOf(alternatives), { list })).toBeDefined();
  });

  it('measures texts by their characters', async () => {
    const of = (text: string) =>
      validate({
        type: 'object',
        properties: { text: { type: 'string', minLength: 2, maxLength: 3, pattern: '^\\D*$' } },
      }, { text });
    expect(await of('😀😀😀')).toBeUndefined();
    expect((await of('😀'))?.errors).toEqual(['text must have at least 2 characters']);
    expect((await of('😀😀😀a'))?.errors).toEqual(['text must have at most 3 characters']);
    expect((await of('12'))?.errors).toEqual(['text must match ^\\D*$']);
    // A text that is far too long is not compared with the pattern.
    expect((await of('1'.repeat(1000)))?.errors).toEqual(['text must have at most 3 characters']);
  });
});
