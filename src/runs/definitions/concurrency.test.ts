import { describe, expect, it } from 'vitest';
import { parseRunsConfig } from '../config/index.ts';
import { concurrencyOf } from './concurrency.ts';

const pipelineWith = (concurrency: string) =>
  parseRunsConfig(`
projects: [{id: alpha, repository: org/alpha}]
pipelines: [{name: build, steps: [{name: go, run: 'true'}], concurrency: ${concurrency}}]`).pipelines[0]!;
const request = { projectId: 'alpha', kind: 'pipeline', task: 'build' };

describe('the group of a run', () => {
  it('is made of values of the run; what it does not have is empty', () => {
    const pipeline = pipelineWith("{group: '{project}/{pipeline}/{ref}/{input.target}/{input.none}'}");
    expect(concurrencyOf(pipeline, { ...request, input: { ref: 'main', target: { a: 1 } } })).toEqual({
      group: 'alpha/build/main/{"a":1}/',
      others: 'first',
    });
    expect(concurrencyOf(pipeline, { ...request, input: 'text' })!.group).toBe('alpha/build///');
    expect(concurrencyOf(pipelineWith("{group: 'x-{input}'}"), { ...request, input: '{project}' })!.group).toBe(
      'x-{project}',
    );
    expect(concurrencyOf(pipelineWith('{}'), request)).toBeUndefined();
  });

  it('takes no members that inputs have by themselves, and stays short', () => {
    expect(concurrencyOf(pipelineWith("{group: '-{input.constructor}'}"), { ...request, input: {} })!.group).toBe('-');
    const long = (last: string) =>
      concurrencyOf(pipelineWith("{group: '{input}'}"), { ...request, input: 'x'.repeat(5000) + last })!.group;
    expect([long('a').length, long('a') === long('b')]).toEqual([200, false]);
  });

  it('says what becomes of the runs before', () => {
    expect(concurrencyOf(pipelineWith('{group: g, pending: newest}'), request)!.others).toBe('cancel_waiting');
    expect(concurrencyOf(pipelineWith('{group: g, cancel_in_progress: true}'), request)!.others).toBe('cancel_all');
  });

  it('is refused with places that no run has', () => {
    expect(() => pipelineWith("{group: '{commit}'}")).toThrow(
      'pipelines[0].concurrency.group: expected a name in which braces hold only project, pipeline, ref, event, ' +
        'branch, pull_request, input or input.NAME, got "{commit}"',
    );
    expect(() => pipelineWith("{group: 'a{'}")).toThrow('concurrency.group');
  });
});
