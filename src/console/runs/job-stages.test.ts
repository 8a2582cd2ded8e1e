import { describe, expect, it } from 'vitest';
import type { Run, RunJob } from '../../../generated/runs/sdk/types.gen.ts';
import { stagesOf } from './job-stages.ts';

const job = (name: string, ...needs: string[]): RunJob => ({ name, needs, if: 'success', continue_on_error: false });
const cell = (name: string, fields: Partial<Run>): Run =>
  ({ job: name, skipped: null, started_at: null, finished_at: null, ...fields }) as Run;

describe('jobs of a run', () => {
  it('stand in the stage after the last one that they need', () => {
    const stages = stagesOf([job('lint'), job('build'), job('test', 'build'), job('pack', 'lint', 'test'),
      job('docs', 'lint')], []);
    expect(stages.map((stage) => stage.map(({ name }) => name))).toEqual([['lint', 'build'], ['test', 'docs'], [
      'pack',
    ]]);
  });

  it('are as their cells are together', () => {
    const stateOf = (...cells: Run[]): string => stagesOf([job('a')], cells)[0]![0]!.state;
    const [good, bad] = [cell('a', { state: 'succeeded' }), cell('a', { state: 'failed' })];
    const skipped = cell('a', { state: 'cancelled', skipped: 'the job b, which it needs, has failed' });
    expect([stateOf(), stateOf(good), stateOf(good, bad), stateOf(bad, cell('a', { state: 'running' })),
      stateOf(skipped)]).toEqual(['queued', 'succeeded', 'failed', 'running', 'skipped']);
  });

  it('last from their first cell to their last one', () => {
    const cells = [cell('a', { state: 'succeeded', started_at: 10, finished_at: 20 }),
      cell('a', { state: 'succeeded', started_at: 12, finished_at: 31 })];
    expect(stagesOf([job('a')], cells)[0]![0]).toMatchObject({ startedAt: 10, finishedAt: 31 });
    expect(stagesOf([job('a')], [...cells, cell('a', { state: 'running', started_at: 13 })])[0]![0]).toMatchObject({
      startedAt: 10,
      finishedAt: null,
    });
  });
});
