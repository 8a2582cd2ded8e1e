import { describe, expect, it } from 'vitest';
import type { Timer } from '../../../lib/clock.ts';
import { ServiceFailure, withRetries } from './service-failure.ts';

/** A timer that does not wait, and records the requested delays. */
function recorded(): { timer: Timer; pauses: number[] } {
  const pauses: number[] = [];
  return { pauses, timer: { sleep: async (milliseconds) => void pauses.push(milliseconds) } };
}

function failing(times: number, failure: Error): () => Promise<string> {
  let left = times;
  return async () => {
    if (left-- > 0) throw failure;
    return 'done';
  };
}

const policy = { attempts: 4, backoff: { initial: 100, max: 250 }, random: () => 0 };

describe('withRetries', () => {
  it('waits longer each time, up to the maximum', async () => {
    const { timer, pauses } = recorded();
    expect(await withRetries(failing(3, new ServiceFailure('lost')), { ...policy, timer })).toBe('done');
    expect(pauses).toEqual([100, 200, 250]);
  });

  it('gives up after the attempts and throws the last failure', async () => {
    const { timer, pauses } = recorded();
    await expect(withRetries(failing(9, new ServiceFailure('busy', 503)), { ...policy, timer })).rejects.toThrow(
      'busy',
    );
    expect(pauses).toHaveLength(3);
  });

  it('waits as long as the service asks, a minute at most', async () => {
    const { timer, pauses } = recorded();
    await withRetries(failing(1, new ServiceFailure('limit', 429, 7000)), { ...policy, timer });
    await withRetries(failing(1, new ServiceFailure('limit', 429, 3_600_000)), { ...policy, timer });
    expect(pauses).toEqual([7000, 60_000]);
  });

  it.each([400, 401, 403, 404, 413, 500, 501])('does not repeat what was answered with %i', async (status) => {
    const { timer, pauses } = recorded();
    await expect(withRetries(failing(1, new ServiceFailure('no', status)), { ...policy, timer })).rejects.toThrow('no');
    expect(pauses).toEqual([]);
  });

  it('throws other errors at once', async () => {
    const { timer } = recorded();
    await expect(withRetries(failing(1, new TypeError('defect')), { ...policy, timer })).rejects.toThrow('defect');
  });

  it('ends when it is aborted, also while it waits', async () => {
    const controller = new AbortController();
    const timer: Timer = { sleep: async () => controller.abort() };
    await expect(withRetries(failing(1, new ServiceFailure('lost')), { ...policy, timer, signal: controller.signal }))
      .rejects.toThrow('lost');
  });
});
