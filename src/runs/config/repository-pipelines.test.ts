import { describe, expect, it } from 'vitest';
import { parseRunsConfig } from './parse.ts';
import { readRepositoryPipelines } from './repository-pipelines.ts';

const config = parseRunsConfig(`
secrets: [{name: TEST, env: A}, {name: DEPLOY, file: /run/secrets/deploy}]
id_tokens: {issuer: "https://runs.example.org"}
projects:
  - id: alpha
    repository: team/alpha
    poll: 60s
    pipelines_from: repository
    repository_pipelines: {secrets: [TEST], audiences: [sts.example.org]}
`);

const read = (text: string) => readRepositoryPipelines('.quire/ci.yaml', text, config.projects[0]!, config);

describe('a file of a repository', () => {
  it('has jobs with what the project allows, and numbers of env as they are written', () => {
    const { pipelines, problems } = read(`
secrets: [TEST]
id_token: {TOKEN: {audience: sts.example.org}}
jobs:
  - {name: build, env: {VERSION: 1.10}, steps: [{name: make, run: make, env: {CODE: 007}}]}
`);
    expect(problems).toEqual([]);
    const [job] = pipelines[0]!.jobs;
    expect([pipelines[0]!.name, job!.env, job!.steps[0]!.env]).toEqual(['ci', { VERSION: '1.10' }, { CODE: '007' }]);
  });

  it.each([
    ['a secret of a job', 'jobs:\n  - name: a\n    secrets: [DEPLOY]\n    steps: [{name: s, run: x}]',
      'line 3: jobs[0].secrets[0]: the project alpha does not allow DEPLOY (repository_pipelines.secrets)'],
    ['a job without a sandbox', 'jobs:\n  - name: a\n    sandbox: none\n    steps: [{name: s, run: x}]',
      'line 3: jobs[0].sandbox: pipelines of repositories may not run without a sandbox'],
    ['a token for somebody else', 'id_token:\n  T: {audience: other.example.org}\nsteps: [{name: s, run: x}]',
      'line 2: id_token.T: the project alpha does not allow the audience other.example.org ' +
      '(repository_pipelines.audiences)'],
    ['a condition of a job that cannot be',
      'jobs:\n  - {name: a, steps: [{name: s, run: x, always: true, when: {status: failure}}]}',
      'line 2: jobs[0].steps[0].when.status: the step is marked always, so it cannot run after failures only; keep one ' +
      'of the two'],
  ])('with %s is refused, with the line', (_, text, problem) => {
    expect(read(text)).toEqual({ pipelines: [], problems: [`.quire/ci.yaml, ${problem}`] });
  });
});
