import { format, item, list, listOrAll, section, text, variable } from './build.ts';

const TEXT = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** What people may do, as `tokens` have scopes. */
export const ROLES = ['viewer', 'submitter', 'approver', 'admin'] as const;

/** No query or fragment, and no credentials. Plain http is for this machine alone. */
const SECURE = '(https://[^\\s@?#]+|http://(127\\.0\\.0\\.1|localhost|\\[::1\\])(:\\d+)?(/[^\\s@?#]*)?)';

const secureUrl = (description: string) =>
  text(description, '', {
    pattern: `^${SECURE}?$`,
    'x-expected': 'an https:// URL, or an http:// URL of this machine',
    maxLength: 512,
  });

/** People who sign in, and tokens for steps. */
export const people = {
  oidc: section('sign-in of people at an issuer of OpenID Connect', {
    issuer: secureUrl('URL of the issuer; empty for no sign-in'),
    client_id: text('id of the client', '', { maxLength: 255 }),
    client_secret_env: variable('variable with the secret of the client; empty for a public client'),
    redirect_uri: secureUrl('URL of the console of this service, to which the issuer sends browsers back'),
    scopes: text('scopes of the sign-in', 'openid profile email', { maxLength: 512 }),
    audience: text("audience of the issuer's tokens for the API; empty for the id of the client", '', {
      maxLength: 512,
    }),
    name_claim: text('claim with the name of a person; `email` counts only with `email_verified`', 'email', {
      maxLength: 128,
    }),
    groups_claim: text('claim with the groups of a person', 'groups', { maxLength: 255 }),
    session: format('duration', 'how long a sign-in lasts, at most 30 days', '12h'),
    roles: list('what people may do; somebody without a role is not let in', item('a role', ['role'], {
      role: {
        type: 'string',
        description:
          '`viewer` reads, `submitter` also queues, cancels and retries runs, `approver` reads, approves and rejects, ' +
          '`admin` does everything',
        enum: ROLES,
      },
      people: list('names of people, or `sub:` and the subject', TEXT, { maxItems: 1000, uniqueItems: true }),
      groups: list('groups whose members have the role', TEXT, { maxItems: 1000, uniqueItems: true }),
      projects: listOrAll('projects in which they have it; null for all', TEXT),
    })),
  }),
  id_tokens: section('tokens of OpenID Connect with which steps sign in elsewhere', {
    issuer: secureUrl('URL at which others reach this service; empty for no tokens'),
    key_rotation: format('duration', 'how long a key signs', '30d'),
    max_lifetime: format('duration', 'longest life of a token, whatever the timeout of its attempt, at most 24 hours',
      '24h'),
  }),
} as const;
