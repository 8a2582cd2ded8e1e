import { flag, format, integer, item, LABEL, list, listOrAll, mapping, name, oneOf, PROJECT_ID_PATTERN, requiredFormat,
  requiredText, SCALAR, section, SHORT_NAME, text, textOrMapping, variable } from './build.ts';

// No credentials anywhere, and no host that a program could read as an option.
const REPOSITORY = [
  '^[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*$',
  '^https?://[A-Za-z0-9\\[][^\\s@/?#]*/[^\\s@]+$',
  '^ssh://([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9\\[][^\\s@/]*/[^\\s@]+$',
  '^git@[A-Za-z0-9][A-Za-z0-9.-]*:[^\\s@-][^\\s@]*$',
  // Not accepted by the API, nor is http. Ships refuse it unless their own settings list the transport `file`.
  '^file:///[^\\s@]+$',
].join('|');

const FORGE = '^([A-Za-z0-9][A-Za-z0-9._-]{0,127})?$';

const FORGE_LABEL = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f,]+$',
  'x-expected': 'a label without control characters and commas',
} as const;

const labels = (description: string) =>
  section(description, {
    add: list('to add', FORGE_LABEL, { maxItems: 10, uniqueItems: true }),
    remove: list('to remove', FORGE_LABEL, { maxItems: 10, uniqueItems: true }),
  });

/** A project, both in the file and in requests that create one (run-queue decisions, section 2.6). */
export const project = item('a project', ['id', 'repository'], {
  id: requiredText('unique', PROJECT_ID_PATTERN, 'lowercase letters, digits, - and _, at most 63'),
  repository: {
    ...requiredText('repository', REPOSITORY,
      'owner/name, or an https://, http://, ssh://, file:/// or git@host:path address without credentials'),
    maxLength: 512,
  },
  enabled: flag('whether runs are queued and started', true),
  issue_label: text('label that marks ready issues', '', {
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    'x-expected': 'no control characters',
    maxLength: 100,
  }),
  release_interval: format('written-interval', 'time between two releases; empty for none', ''),
  runs_on: list('label selectors of ships', LABEL, { maxItems: 16, uniqueItems: true }),
  max_parallel: integer('runs at once; 0 for no limit', 0, 0, 10_000),
  priority: integer('priority of its runs', 0, -100, 100),
  forge: { ...name('the forge that has its repository; empty for none'), pattern: FORGE, default: '' },
  poll: format('written-interval',
    'how often git is asked for new commits and tags, where no webhook can arrive; empty for never', ''),
  pipelines_from: oneOf(
    'where the pipelines are defined that events of the repository start: this file, or `.quire/*.yaml` of the ' +
      'repository at the commit of the event',
    'server',
    ['server', 'repository'],
  ),
  repository_pipelines: section('what pipelines that the repository defines may use', {
    secrets: list('names of secrets that they may name', { type: 'string', minLength: 1 }, { uniqueItems: true }),
    audiences: list('audiences that tokens of their steps may have (`id_token`)', { type: 'string', minLength: 1 }, {
      uniqueItems: true,
    }),
    runs_on: list('label selectors that all of their runs get, so that other ships stay out of their reach', LABEL, {
      maxItems: 16,
      uniqueItems: true,
    }),
  }),
  forks: section('pull requests from forks', {
    runs: oneOf(
      '`restricted`: at once, without secrets; `approval`: when somebody approves them, with secrets; `never`',
      'restricted',
      ['restricted', 'approval', 'never'],
    ),
    runs_on: list('label selectors that restricted runs get besides all others', LABEL, {
      maxItems: 16,
      uniqueItems: true,
    }),
  }),
  statuses: section('what the forge shows of runs; needs `token` of the forge', {
    of: oneOf(
      'the runs whose commits get a status: those that an event of the forge started, with their repetitions; `all` ' +
        'whose commit is known; `none`',
      'events',
      ['events', 'all', 'none'],
    ),
    context: text(
      'name of the status; {project} and {pipeline} stand for those of the run, and {pipeline} must be in it',
      'quire/{pipeline}',
      {
        pattern: '^[^\\u0000-\\u001f{}]*(\\{project\\}[^\\u0000-\\u001f{}]*)?\\{pipeline\\}[^\\u0000-\\u001f{}]*$',
        'x-expected': 'a text with {pipeline}, such as quire/{project}/{pipeline}',
        maxLength: 100,
      },
    ),
    comment: oneOf(
      'a comment on the pull request with the results of all pipelines, which is replaced as they change: when one ' +
        'of them has written a summary, `always`, or `never`',
      'summary',
      ['summary', 'always', 'never'],
    ),
  }),
  issue: section('runs for issues that get the label `issue_label`; one of pipeline and role starts them', {
    pipeline: text('pipeline of the run', '', { maxLength: 128 }),
    role: text('AI role of the run', '', { maxLength: 128 }),
    comment: flag('comment on the issue how the run ended, with its result', true),
    on_start: labels('labels when the run is queued'),
    on_success: labels('labels when it has succeeded'),
    on_failure: labels('labels when it has failed or was cancelled'),
  }),
  release: section('when release_interval queues a release, and the input that it gets', {
    only_if_changed: flag('queue one only if something was committed on the default branch since the last one', false),
    tag: text(
      'pattern of the tags that are releases, such as `v*`; empty if tags are not. The last release is the newest of ' +
        'them that the default branch contains, and else the commit of the last successful run of ' +
        '`scheduler.release_pipeline`. With `tag` or `only_if_changed` the input of the run is JSON with the commits ' +
        'since then',
      '',
      {
        pattern: '^([^!\\u0000-\\u001f][^\\u0000-\\u001f]*)?$',
        'x-expected': 'a pattern such as v*',
        maxLength: 256,
      },
    ),
  }),
  content: section('content made on a schedule', {
    enabled: flag('make content', false),
    interval: format('written-interval', 'time between two; required when enabled', ''),
    min_score: integer('least score that is a success', 0, 0, 100),
  }),
});

/** The projects, and what starts their runs automatically. */
export const projects = {
  projects: list('projects', project),
  scheduler: section('runs on a schedule', {
    enabled: flag('start them', true),
    release_pipeline: { ...name('pipeline of release_interval'), default: 'release' },
    content_role: { ...name('AI role of content'), default: 'writer' },
    jitter: format('duration-or-zero', 'random delay', '30s'),
  }),
  alerts: section('the Alertmanager receiver', {
    default_project: text('project of alerts that no route takes; empty for none', ''),
    routes: list('the first that matches wins', item('a route', ['match', 'project'], {
      match: {
        type: 'object',
        description: 'labels that the alert must have',
        minProperties: 1,
        additionalProperties: { type: 'string' },
      },
      project: { type: 'string', minLength: 1, description: 'project of the run' },
      pipeline: text('pipeline of the run; empty for a diagnostic run', '', { maxLength: 128 }),
      input: mapping(
        'input of the pipeline, in which {labels.NAME} stands for a label of the alert; empty for the ' +
          'notification itself',
        SHORT_NAME,
        SCALAR,
      ),
    })),
  }),
} as const;

/** Runs at the times of cron expressions. */
export const schedules = {
  schedules: list('runs at the times of cron expressions', item('a schedule', ['name', 'project', 'cron'], {
    name: name('unique in its project; not release or content, which stand for release_interval and content'),
    project: { type: 'string', minLength: 1, description: 'project of its runs' },
    cron: requiredFormat('cron',
      'minute, hour, day of month, month and day of week, all of which must match; names of months and days, L, W ' +
        'and # are known'),
    timezone: format('timezone',
      'IANA time zone of the times; a time that the clock skips counts at the end of the gap, one that comes ' +
        'twice counts once', 'UTC'),
    kind: oneOf('what its runs do', 'pipeline', ['pipeline', 'ai_text', 'diagnostic']),
    task: text('pipeline or AI role', '', { maxLength: 128 }),
    input: textOrMapping('input of its runs; required for ai_text'),
    ref: text('branch, tag or commit that its runs check out; empty for the default branch', '', { maxLength: 255 }),
    runs_on: list("label selectors, added to the project's and the pipeline's", LABEL, {
      maxItems: 16,
      uniqueItems: true,
    }),
  })),
} as const;

const STATES = ['queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'] as const;

/** Webhooks that are notified when runs change. */
export const notifications = {
  notifications: section('webhooks that receive changes of runs', {
    allow_private: oneOf('private addresses that may be called: `loopback` for those of this machine', 'none', ['none',
      'loopback', 'all']),
    allowlist: list('host names, addresses and networks that may be called in any case', {
      type: 'string',
      minLength: 1,
    }),
    webhooks: list('endpoints', item('an endpoint', ['name', 'url'], {
      name: name('unique; another name is another endpoint, which receives what happens from then on'),
      url: requiredFormat('endpoint', 'where it is'),
      enabled: flag('whether it receives anything', true),
      projects: listOrAll('projects whose runs it receives; null for all', { type: 'string', minLength: 1 }),
      states: {
        type: 'array',
        description: 'states that it receives',
        default: ['succeeded', 'failed', 'cancelled'],
        items: { type: 'string', enum: STATES },
        minItems: 1,
        uniqueItems: true,
      },
      secret_env: variable('environment variable with the key of the signature; empty for none'),
    })),
  }),
} as const;
