import { flag, item, list, listOrAll, name, oneOf, requiredFormat, section, variable } from './build.ts';

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
