import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import { QuietStep } from './show-log.ts';

it('reports a quiet step after half a minute, then each time after twice as long, and starts over with each line', async () => {
  const timer = new ManualTimer();
  const told: string[] = [];
  const quiet = new QuietStep(timer, (line) => told.push(line));
  const watching = quiet.watch();
  const elapse = async (): Promise<void> => {
    await timer.elapse();
    await setImmediate();
  };
  await elapse();
  expect(told).toEqual([]); // it is queued
  quiet.running(true);
  await setImmediate();
  quiet.arrived('test');
  await setImmediate();
  for (let n = 0; n < 3; n++) await elapse();
  quiet.arrived('deploy');
  await setImmediate();
  await elapse();
  quiet.stop();
  await watching;
  expect(told).toEqual(['— test is still running, without a line for 30s',
    '— test is still running, without a line for 1m', '— test is still running, without a line for 2m',
    '— deploy is still running, without a line for 30s']);
});
