import { format, item, LABEL, list, name, oneOf, requiredFormat, text, textOrMapping } from './build.ts';

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
    runs_on: list("label selectors, added to the project's and the pipeline's", LABEL, {
      maxItems: 16,
      uniqueItems: true,
    }),
  })),
} as const;
