import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilInterrupted } from './io.ts';

describe('untilInterrupted', () => {
  // Other files of this process may have loaded packages that end it at a signal.
  const others = process.listeners('SIGINT');
  beforeAll(() => void process.removeAllListeners('SIGINT'));
  afterAll(() => others.forEach((listener) => process.on('SIGINT', listener)));

  it('aborts at the first interrupt and leaves the second to the process', async () => {
    const before = process.listenerCount('SIGINT');
    const aborted = await untilInterrupted(async (signal) => {
      expect(process.listenerCount('SIGINT')).toBe(before + 1);
      process.emit('SIGINT');
      expect(process.listenerCount('SIGINT')).toBe(before);
      return signal.aborted;
    });
    expect(aborted).toBe(true);
  });

  it('stops listening when the work ends, also when it fails', async () => {
    const before = process.listenerCount('SIGTERM');
    await expect(untilInterrupted(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});
