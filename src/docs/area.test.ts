import { describe, expect, it } from 'vitest';
import { definer } from '../lib/areas.ts';
import { type Area, DocsComposition, type Following } from './area.ts';
import type { DocsEnvironment } from './environment.ts';

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
  const area = definer<{ configs: Area; words: Area }, Area, DocsEnvironment, unknown, Following>();
  const whole = new DocsComposition([area('words', ['configs'], () => words, { changes: 'word', loadsLater: true }),
    area('configs', [], () => configs, { tables: ['configs', 'settings'] })], {} as DocsEnvironment);

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
