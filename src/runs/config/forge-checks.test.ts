import { describe, expect, it } from 'vitest';
import { parseRunsConfig, type RunsConfigError } from './parse.ts';

function problemsOf(text: string): readonly string[] {
  try {
    parseRunsConfig(text);
    return [];
  } catch (error) {
    return (error as RunsConfigError).problems;
  }
}

describe('forges', () => {
  it('have unique names, an address unless theirs is known, and secrets that there are', () => {
    expect(problemsOf(`
secrets: [{name: HOOK, env: HOOK}]
forges:
  - {name: hub, kind: github, webhook_secret: HOOK, token: HOKO}
  - {name: hub, kind: gitea}
  - {name: bare, kind: git, token: HOOK}
projects:
  - {id: a, repository: o/a, forge: hbu}
  - {id: b, repository: o/b, pipelines_from: repository, repository_pipelines: {secrets: [X]}}
`)).toEqual([
      'forges[0].token: there is no secret HOKO; did you mean HOOK?',
      'forges[1].name: hub is already the name of forges[0]',
      'forges[1].url: required for gitea',
      'forges[2].token: git has no API',
      'projects[0].forge: there is no forge hbu; did you mean hub?',
      'projects[1].pipelines_from: needs forge or poll, by which events of the repository arrive',
      'projects[1].repository_pipelines.secrets[0]: there is no secret X',
    ]);
  });
});

describe('what forges show', () => {
  const config = (project: string, kind = "gitea, url: 'https://git.example.org', token: T") =>
    problemsOf(`
secrets: [{name: T, env: T}]
forges: [{name: hub, kind: ${kind}}]
projects:
  - {id: a, repository: o/a, forge: hub}
  - {id: b, ${project}}
pipelines: [{name: fix, projects: [b], steps: [{name: s, run: x}]}]
`);

  it('of two projects with one repository has two names', () => {
    expect(config('repository: o/a, forge: hub')).toEqual([
      'projects[1].statuses.context: a has the same repository and context; put {project} into it',
    ]);
    expect(config("repository: o/a, forge: hub, statuses: {context: '{project}/{pipeline}'}")).toEqual([]);
    expect(config('repository: o/b, forge: hub, statuses: {context: tests}')[0]).toContain('a text with {pipeline}');
  });

  it('of issues needs a label, a forge with labels and its token, and one thing to run', () => {
    expect(config('repository: o/b, forge: hub, issue_label: ready, issue: {pipeline: fix}')).toEqual([]);
    expect(config('repository: o/b, forge: hub, issue: {pipeline: fxi, role: writer}')).toEqual([
      'projects[1].issue: expected pipeline or role, got both',
      'projects[1].issue.pipeline: there is no pipeline fxi; did you mean fix?',
      'projects[1].issue.role: there is no AI role writer',
      'projects[1].issue_label: required by issue',
    ]);
    expect(config('repository: o/b, forge: hub, issue_label: ready, issue: {pipeline: fix}', 'bitbucket')).toEqual([
      'projects[1].issue: bitbucket has no labels',
      'projects[1].issue: needs the token of the forge hub',
    ]);
  });
});

describe('a release', () => {
  const config = (project: string, pipeline = '') =>
    problemsOf(`projects: [{id: a, repository: o/a, ${project}}]
pipelines: [{name: release, ${pipeline} steps: [{name: s, run: x}]}]`);

  it('that depends on commits needs an interval, and a pipeline that takes them', () => {
    expect(config('release_interval: 1d, release: {only_if_changed: true, tag: "v*"}')).toEqual([]);
    expect(config('release: {tag: "v*"}')).toEqual(['projects[0].release_interval: required by release']);
    expect(config('release_interval: 1d, release: {tag: "v*"}', 'inputs: [{name: level}],')).toEqual([
      'projects[0].release: the commits since the last release are the input of the run, and the pipeline release ' +
      'declares inputs of its own',
    ]);
    expect(config('release_interval: 1d, release: {tag: "!v*"}')[0]).toContain('expected a pattern such as v*');
  });

  it('and schedules may name a pipeline of the repository, and a ref', () => {
    const schedules = (from: string, schedule: string) =>
      problemsOf(`forges: [{name: hub, kind: github}]
projects: [{id: a, repository: o/a, forge: hub, pipelines_from: ${from}, release_interval: 1d}]
pipelines: [{name: bare, steps: [{name: s, run: x}]}]
schedules: [{name: n, project: a, cron: '0 3 * * *', ${schedule}}]`);
    expect(schedules('repository', 'task: nightly, ref: next')).toEqual([]);
    expect(schedules('server', 'task: nightly')).toEqual([
      'projects[0].release_interval: needs the pipeline release (scheduler.release_pipeline)',
      'schedules[0].task: the project a has no pipeline nightly',
    ]);
    expect(schedules('repository', "task: bare, ref: 'a..b'")).toEqual([
      'schedules[0].ref: expected a branch, a tag or a commit, got a..b',
      'schedules[0].ref: the pipeline bare checks nothing out; set its checkout to shallow or full',
    ]);
    expect(schedules('repository', 'kind: diagnostic, ref: next')).toEqual(['schedules[0].ref: is for pipelines']);
  });
});

describe('conditions', () => {
  const pipeline = (step: string) => `pipelines: [{name: a, steps: [${step}]}]`;

  it('of steps are checked, and an approval has none', () => {
    expect(problemsOf(pipeline('{name: s, run: x, when: {expression: "1 +"}}'))[0]).toContain(
      'pipelines[0].steps[0].when.expression: ',
    );
    expect(
      problemsOf(
        pipeline('{name: s, run: x}, {name: t, approval: {required: true}, when: {branch: main}}, {name: u, run: x}'),
      ),
    ).toEqual(['pipelines[0].steps[1].when: an approval has no conditions']);
  });

  it('may be a text in the place of a list', () => {
    const { when } = parseRunsConfig('pipelines: [{name: a, when: {event: push}, steps: [{name: s, run: x}]}]')
      .pipelines[0]!;
    expect(when.event).toEqual(['push']);
  });
});

describe('a cache', () => {
  it.each(['f', 'fork/', 'fork/7/deps'])('has no key like those of forks: %s', (key) => {
    expect(problemsOf(`pipelines: [{name: a, steps: [{name: s, run: x, cache: {key: ${key}, paths: [a]}}]}]`)).toEqual([
      `pipelines[0].steps[0].cache: the key "${key}" may be one of a fork's; those begin with fork/`,
    ]);
    expect(
      problemsOf(
        `pipelines: [{name: a, steps: [{name: s, run: x, cache: {key: a, paths: [a], restore_keys: [${key}]}}]}]`,
      ),
    ).toHaveLength(1);
  });
});
