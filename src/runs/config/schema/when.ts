import { list, section, text } from './build.ts';

const EVENT_NAMES = ['push', 'tag', 'pull_request', 'comment', 'issue', 'release', 'manual', 'schedule'] as const;

const GLOB = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  pattern: '^!?[^!\\u0000-\\u001f][^\\u0000-\\u001f]*$',
  'x-expected': 'a pattern such as main, release/* or !docs/**',
} as const;

const globs = (description: string) => list(description, GLOB, { maxItems: 64, uniqueItems: true });

const conditions = {
  branch: globs(
    'branches: of a push the pushed one, of a pull request the one that it is for; `*` and `?` stand for letters ' +
      'of a name, `**` for any folders, and of several patterns the last that fits counts, where `!` excludes',
  ),
  tag: globs('tags, in the same way'),
  paths: globs('changed files of a push or a pull request, of which at least one must fit'),
  author: globs('logins of whoever caused the event'),
  expression: text(
    'an expression in CEL that must be true, with event, action, branch, tag, ref, commit, title, author, paths, ' +
      'labels and pull_request; empty for none',
    '',
    { maxLength: 2000 },
  ),
};

const event = list('events of the forge', { type: 'string', enum: EVENT_NAMES }, { uniqueItems: true });

/** When events of a forge start a pipeline. */
export const pipelineConditions = section(
  'events that start it, all of whose conditions must hold; without `event` a pipeline of this file starts by hand ' +
    'alone, and one of a repository with pushes and pull requests. A single text stands for a list',
  { event, ...conditions },
);

/** When a step of a pipeline runs. */
export const stepConditions = section(
  'conditions without which the step is skipped; runs of schedules have the event `schedule`, and others that no ' +
    'event of a forge has started `manual`. A single text stands for a list',
  {
    event,
    ...conditions,
    status: {
      type: 'array',
      description:
        'how what is before it in its list of steps ended, the checkout included: `success` alone, or `failure` for a ' +
        'step that runs only once something has failed; with both it is like one with `always`',
      default: ['success'],
      items: { type: 'string', enum: ['success', 'failure'] },
      minItems: 1,
      uniqueItems: true,
    },
  },
);
