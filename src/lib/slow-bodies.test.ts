import { describe, expect, it } from 'vitest';
import { missedRate, SlowBodies, type SlowBody, usualPace } from './slow-bodies.ts';

const { whole, stream } = usualPace();
const KIB = 1024;
const MINUTE = 60_000;

describe('the usual pace', () => {
  it('gives a body that is read as a whole 60 s, and more only at 64 KiB a second', () => {
    expect(missedRate(whole, MINUTE - 1, 0)).toBeUndefined();
    expect(missedRate(whole, MINUTE, 3000 * KIB)).toEqual({ afterMs: MINUTE, bytesPerSecond: 64 * KIB });
    expect(missedRate(whole, MINUTE, 60 * 64 * KIB)).toBeUndefined();
    expect(missedRate(whole, 2 * MINUTE, 60 * 64 * KIB)).toBeDefined();
  });

  it('takes the time for that from its caller', () => {
    expect(missedRate(usualPace(5000).whole, 5000, 1000)).toMatchObject({ afterMs: 5000 });
    expect(missedRate(usualPace(5000).whole, 4999, 0)).toBeUndefined();
  });

  it('asks the more of a stream the longer it lasts, and ends none that keeps 4 KiB a second', () => {
    expect([1, 59].map((seconds) => missedRate(stream, seconds * 1000, 0))).toEqual([undefined, undefined]);
    const least = [1, 9, 10, 60, 600].map((minutes) => missedRate(stream, minutes * MINUTE, 0)!.bytesPerSecond);
    expect(least).toEqual([KIB, KIB, 4 * KIB, 4 * KIB, 4 * KIB]);
    for (const minutes of [1, 10, 6000])
      expect(missedRate(stream, minutes * MINUTE, minutes * 60 * 4 * KIB)).toBeUndefined();
  });
});

/** A listener whose bodies are named by their client and rate, such as `a5`. */
class Source {
  readonly ended: string[] = [];
  readonly #bounds: SlowBodies;

  constructor(bounds: SlowBodies) {
    this.#bounds = bounds;
  }

  /** Reports the bodies that have not been ended. */
  report(...names: readonly string[]): void {
    const body = (name: string): SlowBody => ({
      client: name[0]!,
      rate: Number(name.slice(1)),
      end: () => void this.ended.push(name),
    });
    this.#bounds.report(this, names.filter((name) => !this.ended.includes(name)).map(body));
  }
}

describe('slow bodies', () => {
  it('of a client may be as many as its limit; beyond it the slowest are ended, whichever came last', () => {
    const source = new Source(new SlowBodies({ perClient: 2 }));
    source.report('a5', 'a1');
    expect(source.ended).toEqual([]);
    source.report('a5', 'a1', 'a3', 'b0');
    expect(source.ended).toEqual(['a1']);
    source.report('a5', 'a3', 'a4', 'a9', 'b0');
    expect(source.ended).toEqual(['a1', 'a3', 'a4']);
  });

  it('are counted over all sources, by the last report of each', () => {
    const bounds = new SlowBodies({ perClient: 2 });
    const [first, second] = [new Source(bounds), new Source(bounds)];
    first.report('a1', 'a2');
    second.report('a3');
    expect([first.ended, second.ended]).toEqual([['a1'], []]);
    // The first listener has not reported since; its ended body is not counted any more.
    second.report('a3');
    expect([first.ended, second.ended]).toEqual([['a1'], []]);
    first.report();
    second.report('a3', 'a4');
    expect([first.ended, second.ended]).toEqual([['a1'], []]);
  });

  it('of all clients together are bounded, too', () => {
    const source = new Source(new SlowBodies({ perClient: 2, total: 3 }));
    source.report('a1', 'a2', 'a3', 'b4', 'c2', 'd9');
    expect(source.ended.toSorted()).toEqual(['a1', 'a2', 'c2']);
  });

  it('of one client have no limit if it is 0', () => {
    const source = new Source(new SlowBodies({ perClient: 0, total: 100 }));
    source.report(...Array.from({ length: 100 }, (_, i) => `a${i}`));
    expect(source.ended).toEqual([]);
  });
});
