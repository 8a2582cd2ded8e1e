import { describe, expect, it } from 'vitest';
import { createInputValidators } from './input-validators.ts';

const definitions = {
  Color: { type: 'string', enum: ['red', 'green'] },
  Shape: { type: 'object', required: ['color'], properties: { color: { $ref: '#/$defs/Color' }, parts: { type: 'array', items: { $ref: '#/$defs/Shape' } } } },
};
const ofShape = { type: 'object', required: ['shape'], properties: { shape: { $ref: '#/$defs/Shape' } }, $defs: definitions };

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
    const paint = { type: 'object', properties: { color: { $ref: '#/$defs/Color' } }, $defs: { Color: { type: 'number' } } };
    const validators = createInputValidators({ draw: ofShape, paint });
    await validators.compile('draw', never);
    const validate = await validators.compile('paint', never);
    expect(validate({ color: 'red' })).toBeUndefined();
  });

  it('name the fields of nested definitions', async () => {
    const validate = await createInputValidators({ draw: ofShape }).compile('draw', never);
    expect(validate({ shape: { color: 'red', parts: [{ color: 'blue' }, {}] } })?.errors).toEqual([
      'missing fields: shape.parts[1].color', 'shape.parts[0].color must be one of red, green, got "blue"',
    ]);
  });
});
