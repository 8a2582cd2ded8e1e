import { describe, expect, it } from 'vitest';
import { inOrderOfNeeds } from './areas.ts';

const definition = (name: string, needs: readonly string[]) => ({ name, needs });

describe('the order of areas', () => {
  it('is that of their list, with what an area needs before it', () => {
    const definitions = [definition('a', ['c']), definition('b', []), definition('c', ['d']), definition('d', [])];
    expect(inOrderOfNeeds(definitions).map(({ name }) => name)).toEqual(['d', 'c', 'a', 'b']);
  });

  it('does not exist for areas that need each other, or one that is not there', () => {
    expect(() => inOrderOfNeeds([definition('a', ['b']), definition('b', ['a'])])).toThrow(
      'areas need each other in a circle: a → b → a',
    );
    expect(() => inOrderOfNeeds([definition('a', ['b'])])).toThrow('the area a needs b, which does not exist');
  });
});
