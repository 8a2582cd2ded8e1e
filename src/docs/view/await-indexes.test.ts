import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../operations/index.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { awaitIndexes } from './await-indexes.ts';
import { IndexLoading } from './index-loading.ts';

type AnyHandler = (input: object, context: Context) => Promise<unknown>;

/** An index that serves when the test lets it. */
class LoadingIndex {
  serves = false;
  asked = 0;
  #changed = Promise.withResolvers<void>();

  readonly handler = async (): Promise<string> => {
    this.asked += 1;
    if (!this.serves) throw new IndexLoading('test', this.#changed.promise);
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
  let handlers: Record<string, AnyHandler>;
  const client = () => new AbortController();
  const search = (signal = client().signal, id = 'searchFullText') => handlers[id]!({}, { signal } as Context);
  beforeEach(() => {
    index = new LoadingIndex();
    timer = new ManualTimer();
    handlers = awaitIndexes({ searchFullText: index.handler, reindexFullText: index.handler } as never,
      timer) as unknown as Record<string, AnyHandler>;
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
    handlers = awaitIndexes({
      searchFullText: async () => {
        throw new Error('broken');
      },
    } as never, timer) as unknown as Record<string, AnyHandler>;
    await expect(search()).rejects.toThrow('broken');
    expect(timer.sleeps).toEqual([]);
  });

  it('is a read: what writes is never run twice', async () => {
    await expect(search(undefined, 'reindexFullText')).rejects.toMatchObject({ code: 'index_loading' });
    expect(index.asked).toBe(1);
  });
});
