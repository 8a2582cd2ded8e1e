import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Neighbours, trainHere } from '../../../search/cooccurrence/index.ts';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import { Fixture } from '../../documents/test-fixture.ts';
import { FIRST_WAIT_MS, IDLE_MS, MAX_STALE_MS, NeighbourModels, type NeighbourModelsOptions, QUIET_MS,
  REST_FACTOR } from './neighbour-models.ts';
import type { Trainer } from './training.ts';

const RULES = { lang: 'en', stemming: true, stopWords: new Set(['the']) };
const SIGNAL = new AbortController().signal;

/**
 * A teacher that trains when the test resolves it; in each model the number of its training is a neighbour of `lesson`.
 */
class SlowTrainer implements Trainer {
  readonly trainings: { readonly collection: string; readonly end: (failure?: Error) => Promise<void> }[] = [];
  #begun = Promise.withResolvers<void>();
  quick = false;

  async isQuick(): Promise<boolean> {
    return this.quick;
  }

  async train(collection: string, _: typeof RULES, signal: AbortSignal): Promise<Neighbours> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const number = this.trainings.length + 1;
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    this.trainings.push({
      collection,
      async end(failure) {
        if (failure === undefined) resolve();
        else reject(failure);
      },
    });
    this.#begun.resolve();
    await promise;
    const training = trainHere(RULES);
    await training.add(Array.from({ length: 2 }, () => [{ text: `lesson n${number}`, code: false }]));
    return training.finish();
  }

  /** Waits until this many lessons have begun. */
  async begun(count: number): Promise<void> {
    while (this.trainings.length < count) {
      this.#begun = Promise.withResolvers();
      await this.#begun.promise;
    }
  }
}

describe('models of which terms stand together (decision D-84)', () => {
  let fixture: Fixture;
  let timer: ManualTimer;
  let trainer: SlowTrainer;
  const all: NeighbourModels[] = [];
  beforeEach(async () => {
    fixture = await Fixture.open('sql.js');
    timer = new ManualTimer();
    trainer = new SlowTrainer();
  });
  afterEach(async () => {
    for (const models of all.splice(0)) await models.stop();
    await fixture.close();
  });

  const open = (options: NeighbourModelsOptions = {}): NeighbourModels => {
    const models = new NeighbourModels(fixture.environment, { timer, trainer, ...options });
    all.push(models);
    return models;
  };
  /** The number of the training that a search sees. */
  const seen = async (models: NeighbourModels, collection = 'c'): Promise<string | undefined> =>
    (await models.of(collection, RULES, SIGNAL)).of('lesson')[0]?.form;
  /** A model that has already been used. */
  const trained = async (options: NeighbourModelsOptions = {}): Promise<NeighbourModels> => {
    const models = open(options);
    const first = seen(models);
    await trainer.begun(1);
    await trainer.trainings[0]!.end();
    expect(await first).toBe('n1');
    return models;
  };
  const write = async (models: NeighbourModels, count = 1): Promise<void> => {
    for (let i = 0; i < count; i++)
      await fixture.call('addDocument', { collection: 'c', key: `k${i}`, lang: 'en', contentMd: 'text' });
    await models.caughtUp();
  };
  /** Resolves when everything that needs no timer has happened. */
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  };

  it('are learned by the first search, once for all that wait', async () => {
    const models = open();
    const searches = [seen(models), seen(models, 'C')];
    await trainer.begun(1);
    await trainer.trainings[0]!.end();
    expect(await Promise.all(searches)).toEqual(['n1', 'n1']);
    expect(await seen(models)).toBe('n1');
    expect(trainer.trainings.map(({ collection }) => collection)).toEqual(['c']);
  });

  it('go on serving after a write, and are learned again when it is quiet', async () => {
    const models = await trained();
    await write(models);
    expect(await seen(models)).toBe('n1');
    await write(models, 2);
    await timer.elapse();
    await turns();
    expect(trainer.trainings).toHaveLength(1);
    await timer.elapse();
    await trainer.begun(2);
    expect(await seen(models)).toBe('n1');
    await trainer.trainings[1]!.end();
    await models.settled();
    expect(await seen(models)).toBe('n2');
    expect(trainer.trainings).toHaveLength(2);
  });

  it('wait while writing goes on, but not for ever', async () => {
    const models = await trained();
    await write(models);
    for (let waited = 0; waited < MAX_STALE_MS; waited += QUIET_MS) {
      expect(trainer.trainings).toHaveLength(1);
      await write(models);
      await timer.elapse();
      await turns();
    }
    await trainer.begun(2);
    expect(timer.sleeps.filter((milliseconds) => milliseconds === QUIET_MS)).toHaveLength(MAX_STALE_MS / QUIET_MS);
  });

  it('are learned once more when something was written while they were learned', async () => {
    const models = open();
    const first = seen(models);
    await trainer.begun(1);
    await write(models);
    await trainer.trainings[0]!.end();
    expect(await first).toBe('n1');
    await timer.elapse();
    await trainer.begun(2);
    await trainer.trainings[1]!.end();
    await models.settled();
    expect(await seen(models)).toBe('n2');
  });

  it('rest after a training that took long', async () => {
    const models = open();
    const first = seen(models);
    await trainer.begun(1);
    fixture.advance(7);
    await trainer.trainings[0]!.end();
    await first;
    await write(models);
    await timer.elapse();
    await turns();
    expect(timer.sleeps.at(-1)).toBe(7000 * REST_FACTOR - QUIET_MS);
    expect(trainer.trainings).toHaveLength(1);
    await timer.elapse();
    await trainer.begun(2);
  });

  it('return index_loading when the first training takes long, and serve when it is done', async () => {
    const models = open();
    const search = seen(models);
    await trainer.begun(1);
    expect(timer.sleeps).toEqual([FIRST_WAIT_MS]);
    await Promise.all([timer.elapse(), expect(search).rejects.toMatchObject({ code: 'index_loading' })]);
    await trainer.trainings[0]!.end();
    await models.settled();
    expect(await seen(models)).toBe('n1');
    expect(trainer.trainings).toHaveLength(1);
  });

  it('end the wait of a client that has gone', async () => {
    const models = open();
    const client = new AbortController();
    const search = models.of('c', RULES, client.signal);
    await trainer.begun(1);
    client.abort(new Error('gone'));
    await expect(search).rejects.toThrow();
  });

  it('are tried again by the next search when learning failed', async () => {
    const models = open();
    const first = seen(models);
    await trainer.begun(1);
    await Promise.all([trainer.trainings[0]!.end(new Error('no memory')), expect(first).rejects.toThrow('no memory')]);
    const second = seen(models);
    await trainer.begun(2);
    await trainer.trainings[1]!.end();
    expect(await second).toBe('n2');
  });

  it('serve on while learning again fails, which is tried again', async () => {
    const models = await trained();
    await write(models);
    await timer.elapse();
    await trainer.begun(2);
    await trainer.trainings[1]!.end(new Error('no memory'));
    expect(await seen(models)).toBe('n1');
    // First for the quiet period, then because it failed.
    await timer.elapse();
    await timer.elapse();
    await trainer.begun(3);
    await trainer.trainings[2]!.end();
    await models.settled();
    expect(await seen(models)).toBe('n3');
  });

  it('go instead of being learned again when nobody has asked for long', async () => {
    const models = await trained();
    fixture.advance(IDLE_MS / 1000);
    await write(models);
    await timer.elapse();
    await models.settled();
    expect(trainer.trainings).toHaveLength(1);
    const search = seen(models);
    await trainer.begun(2);
    await trainer.trainings[1]!.end();
    expect(await search).toBe('n2');
  });

  it('go with their collection, and when they are stopped', async () => {
    const models = await trained();
    await write(models);
    await fixture.call('deleteCollection', { collection: 'c' });
    await models.caughtUp();
    const search = seen(models);
    await trainer.begun(2);
    await trainer.trainings[1]!.end();
    expect(await search).toBe('n2');
    await models.stop();
    await models.stop();
    const again = seen(models);
    await trainer.begun(3);
    const failed = expect(again).rejects.toMatchObject({ code: 'unavailable' });
    await models.stop();
    await failed;
  });

  it('are stale when the stop words change', async () => {
    const models = await trained();
    expect((await models.of('c', { ...RULES, stopWords: new Set(['of']) }, SIGNAL)).of('lesson')[0]!.form).toBe('n1');
    await timer.elapse();
    await trainer.begun(2);
    await trainer.trainings[1]!.end();
    await models.settled();
    expect(trainer.trainings).toHaveLength(2);
  });

  it('are evicted when they take too many bytes, the least recently used first', async () => {
    const models = await trained({ maxBytes: 1 });
    const other = seen(models, 'd');
    await trainer.begun(2);
    await trainer.trainings[1]!.end();
    await other;
    expect(await seen(models, 'd')).toBe('n2');
    const again = seen(models);
    await trainer.begun(3);
    await trainer.trainings[2]!.end();
    expect(await again).toBe('n3');
  });

  it.each([[true, 2], [false, 1]])('are learned side by side when that is quick: %s', async (quick, trainings) => {
    trainer.quick = quick;
    const models = open();
    const searches = [seen(models, 'c'), seen(models, 'd')];
    await trainer.begun(trainings);
    await turns();
    expect(trainer.trainings).toHaveLength(trainings);
    for (let i = 0; i < 2; i++) {
      await trainer.begun(i + 1);
      await trainer.trainings[i]!.end();
    }
    expect((await Promise.all(searches)).sort()).toEqual(['n1', 'n2']);
  });
});
