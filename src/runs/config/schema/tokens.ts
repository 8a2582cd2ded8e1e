import { format, item, list, listOrAll, name, requiredText } from './build.ts';

export const SCOPES = ['submit', 'approve', 'read', 'alerts', 'admin'] as const;

/** Tokens of the API, besides the token of `runtime.api_token_env`, whose holders may do everything. */
export const tokens = {
  tokens: list('API tokens for a part of what there is', item('a token', ['name', 'sha256', 'scopes'], {
    name: name('unique; the audit log shows what was done with it as token:NAME'),
    sha256: requiredText('SHA-256 of the token, as `quire runs token api` prints it', '^[0-9a-f]{64}$',
      '64 hexadecimal digits'),
    scopes: {
      type: 'array',
      description:
        '`submit` queues, cancels and retries runs, `approve` approves and rejects those that wait for it, `read` ' +
        'reads, `alerts` is for Alertmanager, `admin` does everything',
      items: { type: 'string', enum: SCOPES },
      minItems: 1,
      uniqueItems: true,
    },
    projects: listOrAll('projects whose runs it may see and queue; null for all', { type: 'string', minLength: 1 }),
    expires: format('moment',
      'day, or moment in UTC, from which on it is refused: 2027-01-31, 2027-01-31T12:00:00Z; empty for never', ''),
  })),
} as const;
