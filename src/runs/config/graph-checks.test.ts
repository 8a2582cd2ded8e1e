import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseRunsConfig } from './parse.ts';
import { readRepositoryPipelines } from './repository-pipelines.ts';

const problemsOf = (text: string): readonly string[] => {
  try {
    parseRunsConfig(text);
    return [];
  } catch (error) {
    return (error as { problems: readonly string[] }).problems;
  }
};
const ofPipeline = (text: string): readonly string[] => problemsOf(`pipelines: [{name: p, ${text}}]`);
const cached = (name: string, key: string, paths: string, more = ''): string =>
  `{name: ${name}, run: x, cache: {key: ${key}, paths: [${paths}]}${more}}`;

describe('needs of steps', () => {
  it('name steps before them, between the same approvals', () => {
    expect(
      ofPipeline(
        'steps: [{name: a, run: x, needs: []}, {name: b, run: x, needs: []}, {name: c, run: x, needs: ' + '[a, b]}]',
      ),
    ).toEqual([]);
    const at = (steps: string): string => ofPipeline(`steps: [${steps}]`).join('\n');
    expect(at('{name: lint, run: x}, {name: b, run: x, needs: [lnt]}')).toBe(
      'pipelines[0].steps[1].needs[0]: expected the name of a step before it, got lnt; did you mean lint?',
    );
    // Neither itself nor a circle is possible.
    expect(at('{name: a, run: x, needs: [a, b]}, {name: b, run: x, needs: [a]}')).toBe(
      'pipelines[0].steps[0].needs[0]: expected the name of a step before it, got a\n' +
        'pipelines[0].steps[0].needs[1]: expected the name of a step before it, got b',
    );
    expect(at('{name: a, run: x}, {name: ok, approval: {required: true}}, {name: b, run: x, needs: [a]}')).toBe(
      'pipelines[0].steps[2].needs[0]: a ends before the approval ok, for which this step waits anyway',
    );
    expect(at('{name: a, run: x}, {name: ok, approval: {required: true}, needs: []}, {name: b, run: x}')).toBe(
      'pipelines[0].steps[1].needs: an approval waits for all steps before it',
    );
    expect(problemsOf('pipelines: [{name: p, jobs: [{name: j, steps: [{name: s, run: x, needs: [t]}]}]}]')).toEqual([
      'pipelines[0].jobs[0].steps[0].needs[0]: expected the name of a step before it, got t',
    ]);
  });

  it('order steps whose caches share a place, unless both have the same', () => {
    const list = (...steps: string[]): string => ofPipeline(`steps: [${steps.join(', ')}]`).join('\n');
    expect(list(cached('a', 'one', 'lib', ', needs: []'), cached('b', 'two', './lib/x', ', needs: []'))).toContain(
      'pipelines[0].steps[1].cache.paths: ./lib/x is also in the cache of a, which may run at the same time',
    );
    for (const others of [
      [cached('a', 'one', 'lib', ', needs: []'), cached('b', 'two', 'library', ', needs: []')],
      [cached('a', 'one', 'lib', ', needs: []'), cached('b', 'one', 'lib', ', needs: []')],
      [cached('a', 'one', 'lib', ', needs: []'), cached('m', 'n', 'y'), cached('b', 'two', 'lib', ', needs: [m]')],
      [cached('a', 'one', 'lib'), cached('b', 'two', 'lib')],
    ])
      expect(list(...others)).toBe('');
  });

  it('are in files of repositories, whose problems have their lines', () => {
    const config = parseRunsConfig('projects: [{id: a, repository: t/a, poll: 60s, pipelines_from: repository}]');
    const file =
      'services:\n  db: {run: serve}\nsteps:\n  - {name: a, run: x, needs: []}\n  - {name: b, run: x, needs: [other]}';
    const { problems } = readRepositoryPipelines('.quire/ci.yaml', file, config.projects[0]!, config);
    expect(problems).toEqual([
      '.quire/ci.yaml, line 5: steps[1].needs[0]: expected the name of a step before it, got other',
    ]);
  });
});

it('has examples in the documentation that are valid', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/run-queue-steps.md'), 'utf8');
  const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text).filter((text) =>
    text.includes('\nsteps:') || text.startsWith('steps:')
  );
  expect(examples).toHaveLength(3);
  const config = parseRunsConfig('projects: [{id: a, repository: t/a, poll: 60s, pipelines_from: repository}]');
  for (const example of examples)
    expect(readRepositoryPipelines('.quire/ci.yaml', example, config.projects[0]!, config).problems).toEqual([]);
});

describe('services', () => {
  const steps = 'steps: [{name: s, run: x}]';

  it('are a list, or a mapping by their names', () => {
    const { pipelines } = parseRunsConfig(
      `pipelines: [{name: p, services: {db: {image: 'postgres:18', port: 5432}}, ${steps}}]`,
    );
    expect(pipelines[0]!.services).toMatchObject([{ name: 'db', image: 'postgres:18', port: 5432, run: '' }]);
    expect(ofPipeline(`services: {db: {name: db, run: x}}, ${steps}`)).toEqual([
      'pipelines[0].services.db.name: the key of the mapping is the name of the service; leave it out',
    ]);
  });

  it.each([
    ['{name: db}', 'services[0]: expected run or exec, or an image'],
    ['{name: db, run: x, exec: [y]}', 'services[0]: expected run or exec, got both'],
    ['{name: s, run: x}', 'services[0].name: s is already the name of pipelines[0].steps[0]'],
    ['{name: db, run: x}, {name: db, run: y}', 'services[1].name: db is already the name of pipelines[0].services[0]'],
    ['{name: db, run: x, health: {tcp: true, http: /}}',
      'services[0].health: expected one of run, exec, tcp and http, got 2'],
    ['{name: Db, run: x}', 'services[0].name: expected a name of lowercase letters'],
    ['{name: db, run: x, health: {http: "/a b"}}', 'services[0].health.http: expected a path such as /health'],
  ])('are refused where they are %s', (written, problem) => {
    expect(ofPipeline(`services: [${written}], ${steps}`).join('\n')).toContain(`pipelines[0].${problem}`);
  });

  it('and steps have images only in containers, where each needs one', () => {
    expect(ofPipeline(`sandbox: namespaces, services: [{name: db, run: x, image: a}], ${steps}`)).toEqual([
      'pipelines[0].services[0].image: is for the sandbox container, and this one is namespaces',
    ]);
    expect(ofPipeline('sandbox: bubblewrap, steps: [{name: s, run: x, image: a}]')).toEqual([
      'pipelines[0].steps[0].image: is for the sandbox container, and this one is bubblewrap',
    ]);
    expect(ofPipeline('sandbox: container, steps: [{name: s, run: x, image: a}]')).toEqual([]);
    expect(ofPipeline('sandbox: container, steps: [{name: s, run: x, image: a}, {name: t, run: x}]')).toEqual([
      'pipelines[0].image: required by the sandbox container',
    ]);
    expect(ofPipeline('sandbox: container, services: [{name: db, run: x}], steps: [{name: s, run: x, image: a}]'))
      .toEqual(['pipelines[0].services[0].image: required by the sandbox container']);
  });

  it('of a pipeline are those of its jobs, which may replace them', () => {
    const jobs = (job: string): readonly string[] =>
      ofPipeline(`services: [{name: db, image: postgres}], jobs: [{name: j, ${job}}, {name: k, ${job}}]`);
    expect(jobs('steps: [{name: db, run: x}]')).toEqual([
      'pipelines[0].services[0].name: db is already the name of pipelines[0].jobs[0].steps[0]',
      'pipelines[0].services[0].name: db is already the name of pipelines[0].jobs[1].steps[0]',
    ]);
    expect(jobs('sandbox: none, steps: [{name: s, run: x}]')).toEqual([
      'pipelines[0].services[0].image: is for the sandbox container, and this one is none',
    ]);
    expect(jobs('sandbox: none, services: [{name: db, run: serve}], steps: [{name: s, run: x}]')).toEqual([]);
  });
});
