import { describe, expect, it } from 'vitest';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { askHedged, HedgeDelay } from './hedge.ts';

const never = new AbortController().signal;

/** Nodes that answer with their name after some milliseconds, or fail after them. */
function nodesOf(timer: VirtualTimer, times: Readonly<Record<string, number>>) {
  const asked: [node: string, at: number][] = [];
  const aborted: string[] = [];
  const ask = async (node: string, signal: AbortSignal): Promise<string> => {
    asked.push([node, timer.now]);
    signal.addEventListener('abort', () => aborted.push(node));
    const time = times[node]!;
    await timer.sleep(Math.abs(time));
    if (time < 0) throw new Error(`${node} failed`);
    return node;
  };
  return { ask, asked, aborted };
}

describe('asking two nodes', () => {
  it('asks only the first when it answers in time', async () => {
    const timer = new VirtualTimer();
    const { ask, asked } = nodesOf(timer, { a: 9, b: 1 });
    const answer = askHedged(ask, { nodes: ['a', 'b'], delay: 10, signal: never, timer });
    await timer.advance(20);
    expect(await answer).toEqual({ node: 'a', value: 'a' });
    expect(asked).toEqual([['a', 0]]);
  });

  it('asks the second after the delay, takes the first answer and aborts the other request', async () => {
    const timer = new VirtualTimer();
    const { ask, asked, aborted } = nodesOf(timer, { a: 100, b: 5, c: 1 });
    const answer = askHedged(ask, { nodes: ['a', 'b', 'c'], delay: 10, signal: never, timer });
    await timer.advance(15);
    expect(await answer).toEqual({ node: 'b', value: 'b' });
    expect(asked).toEqual([['a', 0], ['b', 10]]);
    expect(aborted).toContain('a');
  });

  it('asks the next at once when one fails, and rejects when all have failed', async () => {
    const timer = new VirtualTimer();
    const { ask, asked } = nodesOf(timer, { a: -3, b: -4, c: -1 });
    const answer = askHedged(ask, { nodes: ['a', 'b', 'c'], delay: 10, signal: never, timer });
    const refused = expect(answer).rejects.toThrow('c failed');
    await timer.advance(8);
    await refused;
    expect(asked).toEqual([['a', 0], ['b', 3], ['c', 7]]);
  });

  it('rejects when the signal aborts', async () => {
    const timer = new VirtualTimer();
    const { ask, asked } = nodesOf(timer, { a: 100, b: 100 });
    const abort = new AbortController();
    const answer = askHedged(ask, { nodes: ['a', 'b'], delay: 10, signal: abort.signal, timer });
    abort.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    await timer.advance(50);
    expect(asked).toHaveLength(1);
  });

  it('waits as long as nineteen of twenty answers took', () => {
    const delay = new HedgeDelay();
    const before = delay.delay;
    for (let time = 1; time < 20; time++) delay.observe(time);
    expect(delay.delay).toBe(before);
    delay.observe(1000);
    expect(delay.delay).toBe(1000);
    for (let time = 1; time <= 400; time++) delay.observe(time % 100);
    expect(delay.delay).toBeGreaterThanOrEqual(93);
    expect(delay.delay).toBeLessThanOrEqual(97);
  });
});
