import { describe, expect, it } from 'vitest';
import { Arrivals } from './arrivals.ts';

const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

/** An event loop whose turns a test makes. */
function setUp() {
  const seen: string[] = [];
  let soon: (() => void)[] = [];
  let refreshes = 0;
  const answers: (() => Promise<void>)[] = [];
  const refresh = (): Promise<void> => {
    seen.push(`look ${++refreshes}`);
    return (answers.shift() ?? (() => Promise.resolve()))();
  };
  const arrivals = new Arrivals(refresh, { soon: (run) => void soon.push(run) });
  return {
    arrivals, answers, seen,
    arrive: (name: string) => arrivals.add((isCurrent) => void seen.push(`${name} ${isCurrent}`)),
    /** The end of a turn of the event loop. */
    async turn(): Promise<void> {
      const now = soon;
      soon = [];
      for (const run of now) {
        run();
        await settle();
      }
    },
  };
}

describe('requests that arrive at a worker', () => {
  it('share one look at the database, which begins after the last of them', async () => {
    const { arrive, seen, turn } = setUp();
    for (const name of ['a', 'b', 'c']) arrive(name);
    await settle();
    expect(seen).toEqual([]);
    await turn();
    expect(seen).toEqual(['look 1', 'a true', 'b true', 'c true']);
  });

  it('have another look if they arrive after it began, even if it takes several turns', async () => {
    const { answers, arrive, seen, turn } = setUp();
    const first = Promise.withResolvers<void>();
    answers.push(() => first.promise);
    arrive('a');
    await turn();
    arrive('b');
    await turn();
    expect(seen).toEqual(['look 1', 'look 2', 'b true']);
    first.resolve();
    await settle();
    expect(seen.slice(3)).toEqual(['a true']);
  });

  it('are served one by one: each has begun and paused before the next begins', async () => {
    const { arrivals, seen, turn } = setUp();
    const work = (name: string) => async (): Promise<void> => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} pauses`);
    };
    for (const name of ['a', 'b']) arrivals.add(work(name));
    await turn();
    expect(seen).toEqual(['look 1', 'a begins', 'a pauses', 'b begins', 'b pauses']);
  });

  it('are told if the current state cannot be loaded, all of the turn and no later one', async () => {
    const { answers, arrive, seen, turn } = setUp();
    answers.push(() => Promise.reject(new Error('gone')));
    arrive('a');
    arrive('b');
    await turn();
    arrive('c');
    await turn();
    expect(seen).toEqual(['look 1', 'a false', 'b false', 'look 2', 'c true']);
  });
});
