import { describe, expect, it } from 'vitest';
import type { RunAttempt } from '../../../generated/runs/sdk/types.gen.ts';
import { stepsOf } from './steps.ts';

const at = (second: number): string => new Date(1_766_400_000_000 + second * 1000).toISOString();
const ms = (second: number): number => 1_766_400_000_000 + second * 1000;
type Line = Parameters<typeof stepsOf>[0][number];
const line = (second: number, step: string | null, state?: Line['step_state'], attempt = 1): Line => ({
  time: at(second),
  step,
  attempt,
  ...(state && { step_state: state }),
});

const attemptWith = (steps: RunAttempt['steps'], attempt = 1): RunAttempt => ({
  attempt,
  ship_id: 'a',
  started_at: 1,
  ended_at: 2,
  outcome: 'succeeded',
  commit: null,
  steps,
});

describe('the steps of an attempt', () => {
  it('begin and end with their lines, whatever they write between', () => {
    const lines = [line(0, null), line(1, 'build', 'running'), line(2, 'build'), line(3, 'build', 'succeeded'),
      line(3, 'test', 'running')];
    expect(stepsOf(lines, [], 1, false)).toEqual([{
      name: 'build',
      state: 'succeeded',
      startedMs: ms(1),
      endedMs: ms(3),
    }, { name: 'test', state: 'running', startedMs: ms(3) }]);
  });

  it('may be under way at once, and begin with their first line where a ship does not say more', () => {
    const lines = [line(1, 'a'), line(2, 'b'), line(3, 'a'), line(4, 'b', 'failed')];
    expect(stepsOf(lines, [], 1, false).map(({ name, state }) => [name, state])).toEqual([['a', 'running'], ['b',
      'failed']]);
  });

  it('are those of one attempt, and those that the ship has reported count', () => {
    const lines = [line(1, 'old', 'running', 1), line(5, 'build', 'running', 2)];
    const reported = {
      name: 'build',
      started_at: at(5),
      ended_at: at(9),
      outcome: 'failed',
      exit_code: 1,
      signal: null,
    };
    expect(stepsOf(lines, [attemptWith([{ ...reported, outcome: 'failed' }], 2)], 2, true)).toEqual([{
      name: 'build',
      state: 'failed',
      startedMs: ms(5),
      endedMs: ms(9),
    }]);
    expect(stepsOf(lines, [], 1, true)).toEqual([{ name: 'old', state: 'begun', startedMs: ms(1) }]);
  });

  it('are skipped when a line names them and none says that they began, unless no line says so of any', () => {
    const why = line(9, 'cry', undefined);
    expect(stepsOf([line(5, 'build', 'running'), line(8, 'build', 'succeeded'), why], [], 1, true)).toMatchObject([{
      state: 'succeeded',
    }, { name: 'cry', state: 'skipped' }]);
    expect(stepsOf([why], [], 1, false)).toMatchObject([{ name: 'cry', state: 'running' }]);
  });
});
