import { flag, format, integer, item, LABEL, list, mapping, name, PROJECT_ID_PATTERN, requiredText, SCALAR, section,
  SHORT_NAME, text } from './build.ts';

// No credentials anywhere, and no host that a program could read as an option.
const REPOSITORY = [
  '^[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*$',
  '^https://[A-Za-z0-9\\[][^\\s@/?#]*/[^\\s@]+$',
  '^ssh://([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9\\[][^\\s@/]*/[^\\s@]+$',
  '^git@[A-Za-z0-9][A-Za-z0-9.-]*:[^\\s@-][^\\s@]*$',
  // Not accepted by the API. Ships refuse it unless their own settings list the transport `file`.
  '^file:///[^\\s@]+$',
].join('|');

/** A project, both in the file and in requests that create one (run-queue decisions, section 2.6). */
export const project = item('a project', ['id', 'repository'], {
  id: requiredText('unique', PROJECT_ID_PATTERN, 'lowercase letters, digits, - and _, at most 63'),
  repository: {
    ...requiredText('repository', REPOSITORY,
      'owner/name, or an https://, ssh://, file:/// or git@host:path address without credentials'),
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
