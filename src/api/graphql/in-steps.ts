import { setImmediate } from 'node:timers/promises';

/** Items that are completed without a pause. */
const STEP = 250;

/**
 * A long list whose items resolve in steps, so that completing thousands of them, one field after the other, does not
 * block the event loop.
 */
export function inSteps<T>(items: readonly T[]): readonly (T | Promise<T>)[] {
  if (items.length <= STEP) return items;
  let turn: Promise<unknown> = Promise.resolve();
  return items.map((item, i) => {
    if (i > 0 && i % STEP === 0) turn = turn.then(() => setImmediate());
    return i < STEP ? item : turn.then(() => item);
  });
}
