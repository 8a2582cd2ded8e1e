import { beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../errors/index.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { throughStep } from '../../testkit/through-step.ts';
import type { Context } from '../index.ts';
import { patience } from './patience.ts';

/** The refusal of an index that is loading. */
class IndexLoading extends ServiceError {
  readonly changed: Promise<void>;

  constructor(changed: Promise<void>) {
    super('index_loading', 'loading', { headers: { 'Retry-After': '1' } });
    this.changed = changed;
  }
}

/** An index that serves when the test lets it. */
class LoadingIndex {
  serves = false;
  asked = 0;
  #changed = Promise.withResolvers<void>();

  readonly handler = async (): Promise<string> => {
    this.asked += 1;
    if (!this.serves) throw new IndexLoading(this.#changed.promise);
    return 'found';
  };

  change(): void {
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }
}

describe('a search that finds its index loading (decision D-130)', () => {
  let index: LoadingIndex;
  let timer: ManualTimer;
  const through = (id: string, handler: () => Promise<unknown>) =>
    throughStep(patience((error) => (error instanceof IndexLoading ? error.changed : undefined), timer), id, handler);
  const client = () => new AbortController();
  const search = (signal = client().signal, id = 'searchFullText') =>
    through(id, index.handler)({}, { signal } as Context);
  beforeEach(() => {
    index = new LoadingIndex();
    timer = new ManualTimer();
  });

  it('waits for it, over changes that are not enough', async () => {
    const found = search();
    for (let i = 0; i < 3; i++) {
      await new Promise(setImmediate);
      index.change();
    }
    await new Promise(setImmediate);
    index.serves = true;
    index.change();
    expect(await found).toBe('found');
    expect(index.asked).toBe(5);
  });

  it('is refused after 5 seconds with index_loading and when to try again', async () => {
    const found = search();
    await Promise.all([
      expect(found).rejects.toMatchObject({ code: 'index_loading', status: 503, headers: { 'Retry-After': '1' } }),
      timer.elapse(),
    ]);
    expect([timer.sleeps, index.asked]).toEqual([[5000], 1]);
  });

  it('is abandoned when its client goes', async () => {
    const gone = client();
    const found = search(gone.signal);
    await new Promise(setImmediate);
    gone.abort(new Error('gone'));
    await expect(found).rejects.toThrow('gone');
    expect(index.asked).toBe(1);
  });

  it('is not held up where its index serves, nor is any other failure', async () => {
    index.serves = true;
    expect(await search()).toBe('found');
    const broken = through('searchFullText', async () => {
      throw new Error('broken');
    });
    await expect(broken({}, { signal: client().signal } as Context)).rejects.toThrow('broken');
    expect(timer.sleeps).toEqual([]);
  });

  it('is a read: what writes is never run twice', async () => {
    await expect(search(undefined, 'reindexFullText')).rejects.toMatchObject({ code: 'index_loading' });
    expect(index.asked).toBe(1);
  });
});
