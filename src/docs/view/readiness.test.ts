import { describe, expect, it } from 'vitest';
import { Readiness } from './readiness.ts';

class TestView {
  readonly name: string;
  isReady = false;
  #changed = Promise.withResolvers<void>();

  constructor(name: string) {
    this.name = name;
  }

  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  async set(ready: boolean): Promise<void> {
    this.isReady = ready;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    await new Promise(setImmediate);
  }
}

describe('readiness (decision D-130)', () => {
  it('is there when every view serves, and listeners learn when it comes and goes', async () => {
    const [words, vectors] = [new TestView('full-text'), new TestView('vector')];
    const readiness = new Readiness(words, vectors);
    const told: boolean[] = [];
    readiness.follow((ready) => told.push(ready));
    await words.set(true);
    expect([readiness.isReady, readiness.states]).toEqual([false, [{ name: 'full-text', ready: true }, {
      name: 'vector',
      ready: false,
    }]]);
    await vectors.set(true);
    await words.set(true);
    await words.set(false);
    expect([readiness.isReady, told]).toEqual([false, [false, true, false]]);
  });
});
