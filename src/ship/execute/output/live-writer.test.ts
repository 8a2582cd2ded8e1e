import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LiveWriter } from './live-writer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const calls: string[] = [];
  const live = new LiveWriter({
    write: async (chunk) => void calls.push(chunk.toString()),
    flush: async () => void calls.push('(shown)'),
    end: async () => void calls.push('(end)'),
  });
  return { calls, write: (text: string) => live.write(Buffer.from(text)), live };
}

it('shows a line without its end within a second, also one that grows all the time', async () => {
  const { calls, write } = setUp();
  for (const dot of ['.', '.', '.', '.']) {
    await write(dot);
    await vi.advanceTimersByTimeAsync(300);
  }
  expect(calls).toEqual(['.', '.', '.', '(shown)', '.']);
});

it('leaves complete lines alone', async () => {
  const { calls, write, live } = setUp();
  await write('a');
  await write('b\n');
  await vi.advanceTimersByTimeAsync(2_000);
  await write('c');
  await live.end();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(calls).toEqual(['a', 'b\n', 'c', '(end)']);
});

it('shows a progress bar when it pauses, not while it moves', async () => {
  const { calls, write } = setUp();
  for (const part of ['1%', '\r2%', '\r3%', '\r4%']) {
    await write(part);
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(calls).not.toContain('(shown)');
  await vi.advanceTimersByTimeAsync(500);
  expect(calls.at(-1)).toBe('(shown)');
});
