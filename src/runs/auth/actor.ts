import type { Context } from '../../operations/index.ts';

/** Who calls, as the audit log shows it: `api`, or `token:NAME` for one of the tokens of the configuration. */
export function actorOf({ identity }: Partial<Pick<Context, 'identity'>>): string {
  return identity?.username || 'api';
}
