import type { Context } from '../../operations/index.ts';

/** The caller's name in the audit log: `api`, or `token:NAME` for one of the tokens of the configuration. */
export function actorOf({ identity }: Partial<Pick<Context, 'identity'>>): string {
  return identity?.username || 'api';
}
