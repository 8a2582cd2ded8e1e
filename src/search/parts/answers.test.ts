import { describe, expect, it } from 'vitest';
import { Loopback } from '../../testkit/parts/loopback.ts';
import { apart, gathered, gatheredEach, linkTo, readEach, Unanswered, withGuesses } from './index.ts';

describe('a request that reads parts in other processes', () => {
  it('asks all parts together, each question once, and comes to the same result as if they were here', async () => {
    const loopback = new Loopback();
    const counts = [new Map([['a', 1], ['b', 2]]), new Map([['b', 3]])];
    const parts = counts.map((own) =>
      loopback.add((method, [word]) => (method === 'words' ? [...own.keys()] : own.get(word as string) ?? 0))
    );
    const found = await loopback.request(() => {
      const words = [...new Set(readEach(parts, (part) => part.known<string[]>('words')).flat())];
      return words.map((word) => [word, readEach(parts, (part) => part.known<number>('count', word))]);
    });
    expect(found).toEqual([['a', [1, 0]], ['b', [2, 3]]]);
    expect([loopback.rounds, loopback.asked.length]).toEqual([3, 6]);
  });

  it('repeats a stage alone, and asks beside it', async () => {
    const loopback = new Loopback();
    const part = loopback.add(async (_, [number]) => (number as number) * 2);
    let begun = 0;
    const found = await loopback.request(async () => {
      begun += 1;
      const first = await gathered(() => part.known<number>('double', 1));
      return [first, ...await Promise.all([part.ask<number>('double', 2), part.ask<number>('double', 2)])];
    });
    expect([found, begun, loopback.asked.length]).toEqual([[2, 4, 4], 1, 2]);
  });

  it('asks together what is needed by work that is done side by side', async () => {
    const loopback = new Loopback();
    const parts = [1, 2].map((factor) => loopback.add((_, [number]) => (number as number) * factor));
    const found = await loopback.request(() =>
      Promise.all(parts.map((part, i) => (i === 0 ? part.ask('times', 3) : gathered(() => part.known('times', 4)))))
    );
    expect([found, loopback.rounds]).toEqual([[3, 8], 1]);
  });

  it('gives up what needs ever more answers, but not work in many stages', async () => {
    const loopback = new Loopback();
    const part = loopback.add(() => 0);
    const stages = Array.from({ length: 300 }, (_, stage) => () => part.known('read', stage));
    await loopback.request(async () => {
      for (const stage of stages) await gathered(stage);
    });
    expect(loopback.rounds).toBe(300);
    await expect(loopback.request(() => stages.map((stage) => stage()))).rejects.toThrow('too many answers');
  });

  it('does several reads with one round, and only those again that needed it', async () => {
    const loopback = new Loopback();
    const part = loopback.add((_, [number]) => (number as number) * 2);
    const read: number[] = [];
    let rests = 0;
    const found = await loopback.request(() =>
      gatheredEach([1, 2, 3], (number) => {
        read.push(number);
        return number === 2 ? 0 : part.known<number>('double', number);
      }, async () => {
        rests += 1;
      })
    );
    expect([found, loopback.rounds, read, rests]).toEqual([[2, 0, 6], 1, [1, 2, 3, 1, 3], 5]);
  });

  it('goes on with guesses, to ask together for all that it needs', async () => {
    const loopback = new Loopback();
    const part = loopback.add((_, [word]) => (word as string).length);
    const total = () =>
      withGuesses((guess) => {
        const lengths = ['an', 'example'].map((word) => guess(() => part.known<number>('length', word), 1));
        return lengths.reduce((sum, length) => sum + length, part.known<number>('length', 'more'));
      });
    expect([await loopback.request(total), loopback.rounds, loopback.asked.length]).toEqual([13, 1, 3]);
    const failing = () =>
      withGuesses((guess) => {
        if (guess(() => part.known<number>('length', 'word'), 0) === 0) throw new Error('no length');
        return 'has a length';
      });
    expect(await loopback.request(failing)).toBe('has a length');
  });

  it('asks what is new since a state once in a request, though the state changes', async () => {
    const loopback = new Loopback();
    const part = loopback.add((_, [since]) => [1, 2, 3, 4].slice(since as number));
    let known = 1;
    const follow = () => {
      const news = part.first<number[]>('since', known);
      known = 4;
      return news;
    };
    expect(await loopback.request(() => [follow(), follow()])).toEqual([[2, 3, 4], [2, 3, 4]]);
    expect(loopback.asked).toEqual(['since']);
    expect(await loopback.request(follow)).toEqual([]);
  });

  it('does steps of long work with answers of their own', async () => {
    const loopback = new Loopback();
    let count = 0;
    const part = loopback.add(() => (count += 1));
    const read = () => part.known<number>('count');
    const found = await loopback.request(async () => [await apart(read), await apart(read), await gathered(read)]);
    expect([found, loopback.rounds]).toEqual([[1, 2, 3], 1]);
    expect(await apart(() => 'outside of a request')).toBe('outside of a request');
  });

  it('meets what a part throws; outside of a request nothing is asked', async () => {
    const loopback = new Loopback();
    const part = loopback.add(() => {
      throw new RangeError('too many');
    });
    await expect(loopback.request(() => part.known('search'))).rejects.toThrow(new RangeError('too many'));
    expect(() => linkTo({ view: 'v', collection: 'c', number: 0, of: 2 }).known('search')).toThrow('within a request');
    await expect(gathered(() => {
      throw new Unanswered([]);
    })).rejects.toThrow(Unanswered);
  });
});
