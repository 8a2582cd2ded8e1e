import { describe, expect, it } from 'vitest';
import { Pace } from '../../lib/pace.ts';
import { CollectionIndex } from './collection-index.ts';
import type { Entry, Steps, ViewIndex } from './view-kind.ts';

/** An index that records its calls. */
class Noted implements ViewIndex {
  readonly documents = 0;
  readonly bytes = 0;
  readonly notes: string[] = [];
  unsettled = 0;

  remove(ord: number): void {
    this.notes.push(`remove ${ord}`);
  }

  settle(): boolean {
    if (this.unsettled === 0) return false;
    this.notes.push('settle');
    return --this.unsettled > 0;
  }

  async *save(): AsyncGenerator<Uint8Array> {}

  close(): void {
    this.notes.push('close');
  }
}

const entry = (ord: number, steps?: (index: Noted) => Steps): Entry<Noted> => ({
  ord,
  addTo(index) {
    index.notes.push(`put ${ord}`);
    return steps?.(index);
  },
});
const indexServing = (index: Noted): CollectionIndex<Noted> => {
  const collection = new CollectionIndex<Noted>('test', { collection: 'c', number: 0, of: 1 });
  collection.serve(index);
  return collection;
};
const turn = () => new Promise(setImmediate);

describe('the index of a collection', () => {
  it('gets ready for a change before each', async () => {
    const serving = new Noted();
    const collection = indexServing(serving);
    serving.unsettled = 2;
    await collection.put(entry(1), new Pace());
    serving.unsettled = 1;
    await collection.remove(1, new Pace());
    expect(serving.notes).toEqual(['settle', 'settle', 'put 1', 'settle', 'remove 1']);
  });

  it('is idle when no change is half done', async () => {
    const collection = indexServing(new Noted());
    let open = false;
    const putting = collection.put(entry(1, () => () => !open), new Pace());
    let idle = false;
    const waiting = collection.idle().then(() => (idle = true));
    await turn();
    await turn();
    expect(idle).toBe(false);
    open = true;
    await Promise.all([putting, waiting]);
    expect(idle).toBe(true);
    await collection.idle();
  });

  it('brings a change to the build, too, even if that becomes the index that serves between two steps', async () => {
    const [old, made] = [new Noted(), new Noted()];
    const collection = indexServing(old);
    const build = collection.begin(made);
    let finished = false;
    const steps = (index: Noted) => (): boolean => {
      if (index === made) return false;
      if (!finished) collection.finish(build);
      finished = true;
      return true;
    };
    await collection.put(entry(1, steps), new Pace());
    expect([old.notes, made.notes, build.touched.has(1), collection.serving]).toEqual([['put 1', 'close'], ['put 1'],
      true, made]);
  });

  it('leaves an index alone that was let go of between two steps', async () => {
    const [old, made] = [new Noted(), new Noted()];
    const collection = indexServing(old);
    collection.begin(made);
    await collection.put(entry(1, () => () => {
      collection.close();
      return true;
    }), new Pace());
    expect([old.notes, made.notes]).toEqual([['put 1', 'close'], ['close']]);
  });
});
