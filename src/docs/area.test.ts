import { describe, expect, it } from 'vitest';
import { type Area, Composition, type Definition, inOrderOfNeeds } from './area.ts';

const definition = (name: string, needs: readonly string[], facts: Omit<Definition, 'name' | 'needs'> = {}) => ({
  name,
  needs,
  ...facts,
});

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

describe('a composition', () => {
  const calls: string[] = [];
  const note = (call: string) => async (): Promise<void> => void calls.push(call);
  const taken = (): string[] => calls.splice(0);
  const view = { start: note('view.start'), restart: note('view.restart'), stop: note('view.stop') };
  const configs: Area = { load: note('configs.load'), start: note('configs.start'), stop: note('configs.stop') };
  const words: Area = {
    load: note('words.load'),
    reload: note('words.reload'),
    work: note('words.work'),
    wake: () => Promise.reject(new Error('the database is gone')),
    restart: note('words.restart'),
    stop: note('words.stop'),
    views: [view],
  };
  const whole = new Composition([{
    definition: definition('configs', [], { tables: ['configs', 'settings'] }),
    area: configs,
  }, { definition: definition('words', ['configs'], { changes: 'word', loadsLater: true }), area: words }]);

  it('loads and starts its areas in their order, and stops them in the opposite one', async () => {
    await whole.load();
    await whole.start();
    await whole.work();
    expect(taken()).toEqual(['configs.load', 'words.load', 'configs.start', 'view.start', 'words.work']);
    whole.wake();
    await whole.replaced();
    expect(taken()).toEqual(['configs.load', 'words.load', 'words.restart', 'view.restart']);
    await whole.stop();
    expect(taken()).toEqual(['words.stop', 'view.stop', 'configs.stop']);
  });

  it('takes over changes by their kind, or else by all areas without kinds, and changes of a leader by tables', async () => {
    const { areas, others } = whole.following(async (load) => {
      calls.push('later');
      await load();
    });
    await areas['word']!();
    await others();
    expect(taken()).toEqual(['later', 'words.reload', 'configs.load']);
    await whole.changed(new Set(['settings']));
    expect(taken()).toEqual(['configs.load']);
    await whole.changed(new Set(['words']));
    expect(taken()).toEqual([]);
  });
});
