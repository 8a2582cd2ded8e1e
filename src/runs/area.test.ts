import { expect, it } from 'vitest';
import { definer } from '../lib/areas.ts';
import { type Area, type RunQueueEnvironment, RunsComposition, type Stopping } from './area.ts';

it('areas start in the order of what they need, and stop in the opposite one, in phases', async () => {
  const calls: string[] = [];
  const area = definer<Record<'logs' | 'queue' | 'fleet' | 'runs', Area>, Area, RunQueueEnvironment, unknown,
    Stopping>();
  const noting = (name: string) => (): Area => ({
    start: () => void calls.push(`start ${name}`),
    stop: async () => void calls.push(`stop ${name}`),
  });
  const whole = new RunsComposition([area('runs', ['queue'], noting('runs')),
    area('fleet', ['queue'], noting('fleet'), { stopsIn: 'dismiss' }),
    area('queue', ['logs'], noting('queue'), { stopsIn: 'quiesce' }),
    area('logs', [], noting('logs'), { stopsIn: 'quiesce' })], {} as RunQueueEnvironment);
  await whole.start();
  expect(calls.splice(0)).toEqual(['start logs', 'start queue', 'start runs', 'start fleet']);
  await whole.stop('quiesce');
  expect(calls.splice(0)).toEqual(['stop queue', 'stop logs']);
  await whole.stop('dismiss');
  expect(calls.splice(0)).toEqual(['stop fleet']);
  await whole.stop('stop');
  expect(calls).toEqual(['stop runs']);
});
