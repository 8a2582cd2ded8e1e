import { describe, expect, it } from 'vitest';
import { parseRunsConfig, type StepConfig } from '../config/index.ts';
import { withNeeds } from './step-needs.ts';

const stepsOf = (written: string): readonly StepConfig[] =>
  parseRunsConfig(`pipelines: [{name: p, steps: [${written}]}]`).pipelines[0]!.steps;
const needsOf = (steps: readonly StepConfig[], without: readonly string[] = []) =>
  withNeeds(steps, steps.filter(({ name }) => !without.includes(name))).map(({ name, needs }) => [name, needs]);

describe('what steps of a run wait for', () => {
  it('is the step before, and nothing that has to be said if no step has needs', () => {
    expect(needsOf(stepsOf('{name: a, run: x}, {name: b, run: x}'), ['a'])).toEqual([['b', null]]);
  });

  it('is written out once one step has needs', () => {
    expect(needsOf(stepsOf('{name: a, run: x}, {name: b, run: x, needs: []}, {name: c, run: x}'))).toEqual([['a', []], [
      'b',
      [],
    ], ['c', ['b']]]);
  });

  it('is what a skipped step would have waited for', () => {
    const steps = stepsOf(
      '{name: a, run: x, needs: []}, {name: b, run: x, needs: []}, {name: c, run: x, needs: [a, ' +
        'b]}, {name: d, run: x}, {name: e, run: x, needs: [c, a]}',
    );
    expect(needsOf(steps, ['c'])).toEqual([['a', []], ['b', []], ['d', ['a', 'b']], ['e', ['a', 'b']]]);
    expect(needsOf(steps, ['a', 'c', 'd'])).toEqual([['b', []], ['e', ['b']]]);
  });

  it('never is a step on the other side of an approval', () => {
    expect(
      needsOf(
        stepsOf(
          '{name: a, run: x, needs: []}, {name: ok, approval: {required: true}}, {name: b, run: x}, ' +
            '{name: c, run: x}',
        ),
      ),
    ).toEqual([['a', []], ['ok', null], ['b', []], ['c', ['b']]]);
  });
});
