import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInputs } from './inputs.ts';
import { parseRunsConfig, type RunsConfigError } from './parse.ts';
import type { InputConfig } from './schema/index.ts';

const configured = (inputs: object[], more = '') =>
  parseRunsConfig(`
projects: [{id: alpha, repository: org/alpha}]
pipelines: [{name: deploy, inputs: ${JSON.stringify(inputs)}, steps: [{name: go, run: 'true'}]}]
${more}`);
const declared = (...inputs: object[]): readonly InputConfig[] => configured(inputs).pipelines[0]!.inputs;
const problemsOf = (inputs: object[], more?: string): readonly string[] => {
  try {
    configured(inputs, more);
    return [];
  } catch (error) {
    return (error as RunsConfigError).problems;
  }
};

const ALL = declared({ name: 'target', type: 'choice', choices: ['staging', 'production'], default: 'staging' }, {
  name: 'version',
  pattern: String.raw`\d+\.\d+`,
  required: true,
  description: 'what to release',
}, { name: 'count', type: 'number', min: 1, max: 10 }, { name: 'dry_run', type: 'boolean', default: false }, {
  name: 'day',
  type: 'date',
});

describe('inputs of a pipeline', () => {
  it('are read with their defaults, in the order of the declaration; text that writes a value counts as it', () => {
    expect(readInputs(ALL, { dry_run: 'true', version: '1.2', count: '3' })).toEqual({
      values: { target: 'staging', version: '1.2', count: 3, dry_run: true },
    });
    expect(Object.keys((readInputs(ALL, { day: '2028-02-29', version: '1.2' }) as { values: object }).values)).toEqual([
      'target',
      'version',
      'dry_run',
      'day',
    ]);
    expect(readInputs(declared({ name: 'note' }), undefined)).toEqual({ values: {} });
    expect(readInputs(declared({ name: 'note' }), { note: null })).toEqual({ values: {} });
  });

  it.each([['text', 'input must be an object with values for target, version, count, dry_run, day, got text'], [{
    verison: '1',
  }, 'input.verison is not known; the pipeline has: target, version, count, dry_run, day; did you mean version?'], [{},
    'input.version is required: what to release'], [{ version: 'v1.2' },
    String.raw`input.version must match \d+\.\d+, got "v1.2"`], [{ version: 1.2 },
    'input.version must be text, got 1.2'], [{ version: '1.2', target: 'stagin' },
    'input.target must be one of staging, production, got "stagin"; did you mean staging?'], [{
    version: '1.2',
    count: 11,
  }, 'input.count must be at most 10, got 11'], [{ version: '1.2', count: 'many' },
    'input.count must be a number, got "many"'], [{ version: '1.2', dry_run: 'yes' },
    'input.dry_run must be true or false, got "yes"'], [{ version: '1.2', day: '2027-02-29' },
    'input.day must be a day such as 2027-01-31, got "2027-02-29"'], [{ version: '1.2', day: { a: 1 } },
    'input.day must be a day such as 2027-01-31, got an object']])('refuses %j and names what is wrong',
      (given, problem) => {
        expect(readInputs(ALL, given)).toEqual({ problem });
      });

  it('takes exactly what fits the bounds of numbers and lengths, whatever is given', () => {
    const bound = fc.option(fc.integer({ min: -5, max: 5 }), { nil: null });
    fc.assert(
      fc.property(fc.constantFrom('string', 'number'), bound, bound,
        fc.oneof(fc.string({ maxLength: 8 }), fc.integer({ min: -8, max: 8 }), fc.boolean(), fc.constant(null),
          fc.constant([])), (type, min, max, value) => {
        const input = { ...ALL[2]!, name: 'x', type, min, max } as InputConfig;
        const size = type === 'number'
          ? (typeof value === 'number'
            ? value
            : typeof value === 'string' && /^-?\d+$/.test(value)
            ? Number(value)
            : undefined)
          : typeof value === 'string' && !value.includes('\0')
          ? [...value].length
          : undefined;
        // Other spellings of numbers have tests of their own.
        fc.pre(type === 'string' || typeof value !== 'string' || !/[.eE]/.test(value));
        const fits = value === null || (size !== undefined && size >= (min ?? -Infinity) && size <= (max ?? Infinity));
        expect('values' in readInputs([input], { x: value })).toBe(fits);
      }),
    );
  });
});

describe('the declaration of inputs', () => {
  it.each([[[{ name: 'file' }],
    'pipelines[0].inputs[0].name: file would be QUIRE_INPUT_FILE, the file with the whole input; take another one'], [[{
    name: 'a',
  }, { name: 'a' }], 'pipelines[0].inputs[1].name: a is already the name of pipelines[0].inputs[0]'], [[{
    name: 'a',
    type: 'choice',
  }], 'pipelines[0].inputs[0].choices: required by the type choice'], [[{ name: 'a', choices: ['x'] }],
    'pipelines[0].inputs[0].choices: only for the type choice, got string'], [[{ name: 'a', pattern: '(' }],
    'pipelines[0].inputs[0].pattern: '], [[{ name: 'a', type: 'boolean', min: 1 }],
    'pipelines[0].inputs[0].min: only for the types string and number, got boolean'], [[{
    name: 'a',
    type: 'number',
    min: 3,
    max: 1,
  }], 'pipelines[0].inputs[0].max: expected at least min, 3, got 1'], [[{ name: 'a', type: 'number', default: 'many' }],
    'pipelines[0].inputs[0].default: must be a number, got "many"'], [[{ name: 'A' }],
    'pipelines[0].inputs[0].name: expected a name of lowercase letters']])('%j is refused', (inputs, problem) => {
      const [first] = problemsOf(inputs);
      expect(first?.slice(0, problem.length)).toBe(problem);
    });

  it('holds for schedules, releases and routes of alerts', () => {
    const inputs = [{ name: 'target', required: true }, { name: 'count', type: 'number' }];
    const schedule = (input: string) =>
      `schedules: [{name: nightly, project: alpha, cron: '0 2 * * *', task: deploy, input: ${input}}]`;
    const route = (input: string) =>
      `alerts: {routes: [{match: {team: web}, project: alpha, pipeline: deploy, input: ${input}}]}`;
    expect(problemsOf(inputs, schedule('{target: x}'))).toEqual([]);
    expect(problemsOf(inputs, schedule('{traget: x}'))).toEqual([
      'schedules[0]: input.traget is not known; the pipeline has: target, count; did you mean target?',
    ]);
    expect(problemsOf(inputs, 'scheduler: {release_pipeline: deploy}\n').length).toBe(0);
    expect(problemsOf(inputs, route("{target: 'db-{labels.instance}', count: '{labels.n}'}"))).toEqual([]);
    expect(problemsOf(inputs, route('{count: many}'))).toEqual(['alerts.routes[0].input.target: required',
      'alerts.routes[0].input.count: must be a number, got "many"']);
    expect(problemsOf(inputs, route('{tarjet: x, target: x}'))).toEqual([
      'alerts.routes[0].input.tarjet: the pipeline deploy has no such input; did you mean target?',
    ]);
  });
});
