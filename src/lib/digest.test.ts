import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { mostWork } from '../testkit/work-counter.ts';
import { digestInSteps } from './digest.ts';

it('is that of the bytes at once, whatever their number', async () => {
  for (const size of [0, 1, 256 * 1024, 256 * 1024 + 1, 1_000_000]) {
    const bytes = Buffer.alloc(size, 'abcdefg');
    expect(await digestInSteps(createHash('sha256'), bytes)).toEqual(createHash('sha256').update(bytes).digest());
    expect(await digestInSteps(createHmac('sha256', 'k'), bytes)).toEqual(
      createHmac('sha256', 'k').update(bytes).digest(),
    );
  }
});

it('hashes no more than a step without a pause', async () => {
  const bytes = Buffer.alloc(25 * 1024 * 1024);
  expect(await mostWork(() => digestInSteps(createHash('sha256'), bytes))).toBe(256 * 1024);
});
