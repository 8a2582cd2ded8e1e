import { describe, expect, it } from 'vitest';
import { parseProject, parseRunsConfig, RunsConfigError } from './parse.ts';

const problems = (text: string): readonly string[] => {
  try {
    parseRunsConfig(text);
  } catch (error) {
    expect(error).toBeInstanceOf(RunsConfigError);
    return (error as RunsConfigError).problems;
  }
  throw new Error('expected the configuration to be refused');
};

const project = (more = ''): string => `projects:\n  - id: alpha\n    repository: org/alpha\n${more}`;
const pipeline = (more = ''): string =>
  `pipelines:\n  - name: build\n    steps: [{name: test, run: npm test}]\n${more}`;

describe('pipelines[].max_attempts', () => {
  it('is that of the queue where a pipeline says nothing of its own', () => {
    const { pipelines } = parseRunsConfig(`
queue: {max_attempts: 5}
pipelines:
  - {name: as-usual, steps: [{name: one, run: 'true'}]}
  - {name: once, max_attempts: 1, steps: [{name: one, run: 'true'}]}
`);
    expect(pipelines.map(({ max_attempts: attempts }) => attempts)).toEqual([5, 1]);
  });
});

describe('env of pipelines and steps', () => {
  const envs = (text: string) => parseRunsConfig(text).pipelines.map(({ env, steps }) => [env, steps[0]!.env]);

  it('takes numbers and truth values, and keeps how they are written', () => {
    expect(envs(`
pipelines:
  - name: build
    env: {PORT: 8080, VERSION: 1.10, MODE: 0o644, DEBUG: true, NAME: text}
    steps: [{name: test, run: npm test, env: {RETRIES: 007}}]
`)).toEqual([[{ PORT: '8080', VERSION: '1.10', MODE: '0o644', DEBUG: 'true', NAME: 'text' }, { RETRIES: '007' }]]);
  });

  it('refuses other values by their path', () => {
    expect(problems(pipeline('    env: {A: [1], B: null}\n'))).toEqual([
      'pipelines[0].env.A: expected a text or a number or true or false, got a list of 1',
      'pipelines[0].env.B: expected a text or a number or true or false, got null',
    ]);
  });

  it('may be repeated by an anchor below a key that begins with x-', () => {
    expect(envs(`
x-common: &common {PORT: 8080, VERSION: 2.0}
x-step: &step {name: test, run: npm test, env: *common}
pipelines:
  - {name: one, env: *common, steps: [*step]}
  - {name: two, env: {<<: *common, PORT: 9}, steps: [{<<: *step, run: other}]}
`)).toEqual([[{ PORT: '8080', VERSION: '2.0' }, { PORT: '8080', VERSION: '2.0' }], [{ PORT: '9', VERSION: '2.0' }, {
      PORT: '8080',
      VERSION: '2.0',
    }]]);
    expect(parseRunsConfig('x-anything: [1, {a: b}]')).toEqual(parseRunsConfig(''));
    expect(problems('y-anything: 1')).toEqual(['y-anything: unknown key']);
  });
});

describe('parseRunsConfig: defaults (run-queue decisions, section 3)', () => {
  it('an empty file is a configuration', () => {
    const config = parseRunsConfig('');
    expect(config).toMatchObject({
      version: 1,
      listen: { kind: 'tcp', host: '127.0.0.1', port: 11030 },
      data_dir: './data/runs',
      runtime: {
        api_token_env: '',
        idempotency_ttl: 30 * 86_400_000,
        shutdown_grace: 30_000,
        git_url_template: 'https://github.com/{repository}.git',
      },
      storage: {
        driver: 'sqlite',
        sqlite: { path: 'runs.db', synchronous: 'full', busy_timeout: 5000 },
        postgres: { url_env: 'RUNS_DATABASE_URL', pool: 20 },
      },
      config: { refresh: 60_000 },
      queue: {
        queue_timeout: 86_400_000,
        max_attempts: 3,
        backoff: { initial: 5000, factor: 2, max: 300_000, jitter: 0.2 },
        lease_ttl: 60_000,
        heartbeat: 15_000,
        cancel_grace: 10_000,
        run_retention: 0,
      },
      local: {
        enabled: true,
        capacity: 2,
        labels: [],
        sandbox: 'auto',
        run_as: 'separate',
        user_ids: { first: 70_000, count: 4000 },
        hide: [],
      },
      logs: {
        retention: 30 * 86_400_000,
        max_line: 16_384,
        attempt_budget: 16 * 2 ** 20,
        attempt_events: 200_000,
        total_budget: 10 * 2 ** 30,
      },
      secrets: [],
      ai: { roles: [] },
      pipelines: [],
      projects: [],
      scheduler: { enabled: true, release_pipeline: 'release', content_role: 'writer', jitter: 30_000 },
      alerts: { default_project: '', routes: [] },
      fleet: {
        enabled: false,
        listen: { host: '0.0.0.0', port: 11031 },
        enrol_listen: { port: 11032 },
        ca_dir: 'ca',
        trust_domain: 'quire.internal',
        ca_ttl: 87_600 * 3_600_000,
        server_cert_ttl: 2160 * 3_600_000,
        ship_cert_ttl: 720 * 3_600_000,
        join_token_ttl: 900_000,
        min_ship_version: '',
      },
      metrics: { enabled: true },
    });
    expect(config.node_id).not.toBe('');
    expect(config.fleet.advertise).not.toBe('');
  });

  it('projects, pipelines, steps and roles are complete', () => {
    const { projects, pipelines, ai } = parseRunsConfig(
      `${project()}${pipeline()}ai: {roles: [{name: writer, endpoint: "https://api.example.com/v1", model: m}]}`,
    );
    expect(projects[0]).toEqual({
      id: 'alpha',
      repository: 'org/alpha',
      enabled: true,
      issue_label: '',
      release_interval: '',
      runs_on: [],
      max_parallel: 0,
      priority: 0,
      forge: '',
      poll: '',
      pipelines_from: 'server',
      release: { only_if_changed: false, tag: '' },
      repository_pipelines: { secrets: [], audiences: [], runs_on: [] },
      forks: { runs: 'restricted', runs_on: [] },
      statuses: { of: 'events', context: 'quire/{pipeline}', comment: 'summary' },
      issue: {
        pipeline: '',
        role: '',
        comment: true,
        on_start: { add: [], remove: [] },
        on_success: { add: [], remove: [] },
        on_failure: { add: [], remove: [] },
      },
      content: { enabled: false, interval: '', min_score: 0 },
    });
    expect(pipelines[0]).toEqual({
      name: 'build',
      description: '',
      projects: null,
      when: { event: [], branch: [], tag: [], paths: [], author: [], expression: '' },
      inputs: [],
      matrix: { axes: {}, include: [], exclude: [], max_parallel: 0, fail_fast: true },
      result: 'any',
      runs_on: [],
      checkout: 'none',
      submodules: 'none',
      lfs: false,
      timeout: '1h',
      max_attempts: 3,
      retry: { on: [] },
      concurrency: { group: '', cancel_in_progress: false, pending: 'all' },
      approval: { required: false, timeout: '24h' },
      on_partition: 'stop',
      sandbox: 'inherit',
      image: '',
      env: {},
      secrets: [],
      id_token: {},
      reports: { junit: [], tap: [], sarif: [] },
      services: [],
      max_parallel_steps: 0,
      jobs: [],
      steps: [{
        name: 'test',
        run: 'npm test',
        exec: [],
        shell: [],
        working_dir: '.',
        env: {},
        timeout: '20m',
        continue_on_error: false,
        always: false,
        background: false,
        needs: null,
        image: '',
        when: { event: [], branch: [], tag: [], paths: [], author: [], expression: '', status: ['success'] },
        approval: { required: false, timeout: '24h', message: '' },
        artifacts: [],
        reports: { junit: [], tap: [], sarif: [] },
        cache: { key: '', paths: [], restore_keys: [] },
      }],
    });
    expect(ai.roles[0]).toMatchObject({
      api_key_env: '',
      system_prompt: '',
      max_tokens: 2048,
      timeout: 120_000,
      first_byte_timeout: 30_000,
      projects: null,
    });
  });

  it('defaults are not shared between entries, and all is frozen', () => {
    const { projects } = parseRunsConfig('projects: [{id: a, repository: o/a}, {id: b, repository: o/b}]');
    expect(projects[0]!.content).not.toBe(projects[1]!.content);
    expect(Object.isFrozen(projects[0]!.content)).toBe(true);
  });
});

describe('parseRunsConfig: short forms', () => {
  it('stand for the long ones', () => {
    const config = parseRunsConfig(
      'storage: {path: a.db}\nfleet: {dir: certs}\nai: {roles: [{name: w, base_url: "http://localhost:1", model: m}]}',
    );
    expect([config.storage.sqlite.path, config.fleet.ca_dir, config.ai.roles[0]!.endpoint]).toEqual(['a.db', 'certs',
      'http://localhost:1']);
  });

  it('are refused beside them', () => {
    expect(problems('storage: {path: a.db, sqlite: {path: b.db}}\nfleet: {dir: a, ca_dir: b}')).toEqual([
      'storage.path: is short for storage.sqlite.path, which is given too; keep one of them',
      'fleet.dir: is short for fleet.ca_dir, which is given too; keep one of them',
    ]);
  });

  it('storage.path says nothing to PostgreSQL', () => {
    expect(problems('storage: {driver: postgres, path: a.db}')).toEqual(['storage.path: unknown key']);
  });
});

describe('parseRunsConfig: problems', () => {
  it('names the path, what was expected and what it got, all at once', () => {
    expect(problems(`
listen: nowhere
queue: {max_attempts: 0, lease_ttl: soon}
logs: {max_line: long, total_budget: 5}
local: {enabled: "yes", sandbox: jail}
projects: [{id: Alpha, repository: "https://user:pw@host/x", runs_on: [linux], priority: 101, release_interval: 30s}]
`)).toEqual(
      expect.arrayContaining(['listen: expected an address such as 127.0.0.1:11030 or :11030, got "nowhere"',
        'queue.max_attempts: expected at least 1, got 0',
        'queue.lease_ttl: expected a duration such as 30s, 15m or 24h, got "soon"',
        'logs.max_line: expected a size such as 16KiB, 10MiB or 1GiB, got "long"',
        'logs.total_budget: expected a text, got 5', 'local.enabled: expected true or false, got "yes"',
        'local.sandbox: expected one of auto, none, namespaces, bubblewrap, systemd, container, got "jail"',
        'projects[0].id: expected lowercase letters, digits, - and _, at most 63, got "Alpha"',
        'projects[0].repository: expected owner/name, or an https://, http://, ssh://, file:/// or git@host:path ' +
        'address without credentials, got "https://user:pw@host/x"',
        'projects[0].runs_on[0]: expected a label such as os=linux, got "linux"',
        'projects[0].priority: expected at most 100, got 101',
        'projects[0].release_interval: expected a duration from 1m to 366d, or "" for never, got "30s"']),
    );
  });

  it('knows unknown and missing keys', () => {
    expect(problems('lisen: ":1"\nqueue: {heartbeet: 1s}\nprojects: [{id: a}]\nzebra: 1')).toEqual(
      expect.arrayContaining(['lisen: unknown key; did you mean listen?',
        'queue.heartbeet: unknown key; did you mean heartbeat?', 'projects[0].repository: required',
        'zebra: unknown key']),
    );
  });

  it.each([['a: [', /^line 1, column \d+: /], ['- a', /^the configuration: expected a mapping, got a list of 1$/], [
    'version: 2',
    /^version: expected 1, got 2$/,
  ], ['pipelines: [{name: p, env: {"a b": x}, steps: [{name: s, run: x}]}]',
    /^pipelines\[0\]\.env\.a b: expected the name of an environment variable, got "a b"$/], [
    'pipelines: [{name: p, steps: []}]',
    /^pipelines\[0\]: expected either steps or jobs$/,
  ], ['pipelines: [{name: p, steps: [{name: s, run: x, artifacts: [a/../../x]}]}]',
    /^pipelines\[0\]\.steps\[0\]\.artifacts\[0\]: expected a relative path without \.\./], [
    'pipelines: [{name: p, steps: [{name: s, run: x, working_dir: ../x}]}]',
    /^pipelines\[0\]\.steps\[0\]\.working_dir: expected a relative path without \.\./,
  ]])('%s', (text, expected) => {
    expect(problems(text)).toEqual([expect.stringMatching(expected)]);
  });
});

describe('parseRunsConfig: cross-checks', () => {
  it.each([['projects: [{id: a, repository: o/a}, {id: a, repository: o/b}]',
    'projects[1].id: a is already the id of projects[0]'], [
    'pipelines: [{name: p, steps: [{name: s, run: x}, {name: s, run: y}]}]',
    'pipelines[0].steps[1].name: s is already the name of pipelines[0].steps[0]',
  ], [`${project()}${pipeline('    projects: [alpah]')}`,
    'pipelines[0].projects[0]: there is no project alpah; did you mean alpha?'], [pipeline('    secrets: [TOKEN]'),
    'pipelines[0].secrets[0]: there is no secret TOKEN'], ['alerts: {default_project: x}',
    'alerts.default_project: there is no project x'], ['alerts: {routes: [{match: {team: web}, project: x}]}',
    'alerts.routes[0].project: there is no project x'], [project('    release_interval: 24h'),
    'projects[0].release_interval: needs the pipeline release (scheduler.release_pipeline)'], [
    project('    content: {enabled: true, interval: 12h}'),
    'projects[0].content.enabled: needs the AI role writer (scheduler.content_role)',
  ], ['queue: {lease_ttl: 44s}', 'queue.lease_ttl: expected at least 45s (cancel_grace + 5s + 2 heartbeats), got 44s'],
    ['queue: {backoff: {initial: 10m}}', 'queue.backoff.max: expected at least backoff.initial, 10m, got 5m'], [
    'tls: {cert: a.pem}',
    'tls: expected both cert and key, or neither',
  ], ['local: {labels: [os=linux]}', 'local.labels[0]: os, arch and ship are set by the service'], [
    'pipelines: [{name: p, steps: [{name: s, run: x, cache: {key: k}}]}]',
    'pipelines[0].steps[0].cache: expected both key and paths',
  ], ['pipelines: [{name: p, steps: [{name: s, run: x, cache: {key: "a-${{ home }}", paths: [a]}}]}]',
    "pipelines[0].steps[0].cache.key: ${{ home }} is not known: expected os, arch, ref, or hash('FILE', ...)"], [
    'git: {credentials: [{url: "https://git.example.org", token: NO}]}',
    'git.credentials[0].token: there is no secret NO',
  ], ['secrets: [{name: A, env: A}]\ngit: {credentials: [{url: "https://git.example.org", token: A, ssh_key: A}]}',
    'git.credentials[0]: expected either token or ssh_key'], [
    'pipelines: [{name: p, steps: [{name: s, run: make, background: true, artifacts: [x]}]}]',
    'pipelines[0].steps[0].background: such a step has no artifacts, cache or approval',
  ], ['pipelines: [{name: p, steps: [{name: s}]}]', 'pipelines[0].steps[0]: expected either run or exec'], [
    'pipelines: [{name: p, steps: [{name: s, run: x, exec: [y]}]}]',
    'pipelines[0].steps[0]: expected either run or exec',
  ], ['pipelines: [{name: p, steps: [{name: s, approval: {required: true}}, {name: t, run: x}]}]',
    'pipelines[0].steps[0].approval: expected a command before and after it; `approval` of the pipeline is for ' +
    'approvals before the first step'], [
    'pipelines: [{name: p, steps: [{name: s, run: x}, {name: t, approval: {required: true}}]}]',
    'pipelines[0].steps[1].approval: expected a command before and after it; `approval` of the pipeline is for ' +
    'approvals before the first step',
  ], [
    'pipelines: [{name: p, steps: [{name: s, run: x}, {name: t, run: y, approval: {required: true}}, {name: u, ' +
    'run: x}]}]',
    'pipelines[0].steps[1]: expected either a command or an approval, got both',
  ], [
    'pipelines: [{name: p, steps: [{name: s, run: x}, {name: t, always: true, approval: {required: true}}, {name: ' +
    'u, run: x}]}]',
    'pipelines[0].steps[1].always: an approval is not asked for after a failure',
  ], [
    'pipelines: [{name: p, steps: [{name: s, run: x}, {name: t, artifacts: [a], approval: {required: true}}, ' +
    '{name: u, run: x}]}]',
    'pipelines[0].steps[1]: an approval has neither artifacts nor a cache',
  ], ['pipelines: [{name: p, sandbox: container, steps: [{name: s, run: x}]}]',
    'pipelines[0].image: required by the sandbox container']])('%s', (text, problem) => {
      expect(problems(text)).toContain(problem);
    });

  it('lease_ttl may be exactly cancel_grace + 5s + 2 heartbeats', () => {
    expect(parseRunsConfig('queue: {lease_ttl: 45s}').queue.lease_ttl).toBe(45_000);
  });
});

describe('parseProject (run-queue decisions, section 2.6)', () => {
  it.each(['owner/name', 'https://git.example.org/a/b.git', 'http://127.0.0.1:3000/a/b.git',
    'ssh://git@host.example:22/a/b', 'git@github.com:owner/name.git', 'file:///srv/git/a.git'])(
      'accepts the repository %s',
      (repository) => {
        expect(parseProject({ id: 'a', repository })).toMatchObject({
          project: { id: 'a', repository, enabled: true },
          problems: [],
        });
      },
    );

  it.each(['name', 'a/b/c', '../b', '-a/b', 'a b/c', 'http://user:pw@host/a', 'https://user@host/a',
    'https://user:pw@host/a', 'https://-host/a', 'ssh://git:pw@host/a', 'ssh://-oProxyCommand=x/a', 'git@-host:a',
    'git@host:-a', 'file://host/a', 'file:///a b', 'git://host/a', 'ext::sh -c x', '', `o/${'x'.repeat(512)}`])(
      'refuses the repository %.40s',
      (repository) => {
        expect(parseProject({ id: 'a', repository }).problems).toEqual([
          expect.stringMatching(/^repository: expected /),
        ]);
      },
    );

  it('fills in defaults and leaves the value as it was', () => {
    const value = { id: 'a', repository: 'o/a' };
    expect(parseProject(value).project?.content).toEqual({ enabled: false, interval: '', min_score: 0 });
    expect(value).toEqual({ id: 'a', repository: 'o/a' });
  });

  it.each([[{ repository: 'o/a' }, 'id: required'], [{ id: 'a', repository: 'o/a', colour: 1 }, 'colour: unknown key'],
    [{ id: 'a', repository: 'o/a', issue_label: 'x\ny' }, 'issue_label: expected no control characters, got "x\\ny"'], [
    { id: 'a', repository: 'o/a', runs_on: ['a=b', 'a=b'] },
    'runs_on: expected entries that differ, got a list of 2',
  ], [{ id: 'a', repository: 'o/a', content: { enabled: true } }, 'content.interval: required when content is enabled'],
    [{ id: 'a', repository: 'o/a', content: { min_score: 101 } }, 'content.min_score: expected at most 100, got 101'], [
    'text',
    'the configuration: expected a mapping, got "text"',
  ]])('%j: %s', (value, problem) => {
    expect(parseProject(value)).toEqual({ problems: [problem] });
  });
});

describe('parseRunsConfig: schedules and notifications', () => {
  const base = `
projects: [{id: alpha, repository: org/alpha}, {id: beta, repository: org/beta}]
pipelines: [{name: build, projects: [alpha], steps: [{name: go, run: 'true'}]}]
`;
  const schedule = (more: string) => `${base}schedules: [{name: nightly, project: alpha, cron: '0 3 * * *', ${more}}]`;

  it('have their defaults', () => {
    expect(parseRunsConfig(schedule('task: build')).schedules[0]).toEqual({
      name: 'nightly',
      project: 'alpha',
      cron: '0 3 * * *',
      timezone: 'UTC',
      kind: 'pipeline',
      task: 'build',
      input: '',
      ref: '',
      runs_on: [],
    });
    const { webhooks } =
      parseRunsConfig(`${base}notifications: {webhooks: [{name: chat, url: 'https://hooks.example.org/x'}]}`)
        .notifications;
    expect(webhooks[0]).toEqual({
      name: 'chat',
      url: 'https://hooks.example.org/x',
      enabled: true,
      projects: null,
      states: ['succeeded', 'failed', 'cancelled'],
      secret_env: '',
    });
  });

  it.each([[schedule('task: build, timezone: Mars/Olympus'),
    'schedules[0].timezone: expected an IANA time zone such as Europe/Berlin, got "Mars/Olympus"'], [
    schedule('task: biuld'),
    'schedules[0].task: the project alpha has no pipeline biuld; did you mean build?',
  ], [schedule('task: build').replace('project: alpha', 'project: beta'),
    'schedules[0].task: the project beta has no pipeline build'], [
    schedule('task: build').replace('project: alpha', 'project: gamma'),
    'schedules[0].project: there is no project gamma',
  ], [schedule('task: build').replace('nightly', 'release'), 'schedules[0].name: release and content stand for'], [
    schedule('kind: ai_text, task: build'),
    'schedules[0].input: ai_text needs text that is not blank',
  ],
    ...['0 3 * *', '* * * * * *', '61 * * * *', '0 0 30 2 *', '0 3 * * nonday'].map((
      cron,
    ) => [schedule('task: build').replace('0 3 * * *', cron),
      'schedules[0].cron: expected a cron expression of five fields such as "30 2 * * mon-fri"']
    ), [`${base}notifications: {webhooks: [{name: chat, url: 'ftp://hooks.example.org'}]}`,
    'notifications.webhooks[0].url: expected an http:// or https:// URL without credentials'], [
    `${base}notifications: {webhooks: [{name: chat, url: 'https://x.example.org', projects: [gamma]}]}`,
    'notifications.webhooks[0].projects[0]: there is no project gamma',
  ], [`${base}notifications: {allowlist: ['a b']}`, 'notifications.allowlist: expected host names']])(
    'are refused where they are wrong: %#',
    (text, problem) => {
      expect(() => parseRunsConfig(text!)).toThrow(problem);
    },
  );
});
