import { ServiceError } from '../../errors/index.ts';
import { ANONYMOUS, type Caller, EVERYONE, type Guard, type Identity } from '../../operations/index.ts';
import { type Credential, unauthenticated } from './authenticator.ts';

/** Operations that exist only with authentication (decisions section 4.13). */
const AUTH_PATH = '/v1/auth/';

/**
 * While authentication is off, everyone may call every operation, except those under `/v1/auth/`, which do not exist
 * then.
 */
export const openGuard: Guard = {
  identify({ path }) {
    if (path.startsWith(AUTH_PATH)) throw new ServiceError('not_found', 'authentication is disabled');
    return EVERYONE;
  },
  version: () => 0,
};

/**
 * Admits callers with a valid credential, and every caller to public operations: there, a credential only identifies
 * the caller, and an invalid one is ignored. `version` is another one after each change of users, keys and permissions.
 */
export function createGuard(identify: (credential: Credential) => Promise<Identity | undefined>,
  version: () => number): Guard
{
  return {
    version,
    async identify({ access }, { credential, trustedAs, trustedUntil }: Caller) {
      // Health must report a failing database, so the caller may stay unknown.
      if (access === 'public') return (credential && (await identify(credential).catch(() => undefined))) ?? ANONYMOUS;
      if (trustedAs !== undefined)
        return {
          username: trustedAs,
          admin: true,
          by: 'adapter',
          may: () => true,
          ...(trustedUntil !== undefined && { expiresAt: trustedUntil }),
        };
      if (credential === undefined) throw unauthenticated('missing authentication');
      const identity = await identify(credential);
      if (identity === undefined)
        throw unauthenticated('invalid token',
          credential.overrides ? 'X-API-Key was refused; where it is sent, Authorization does not count' : '');
      return identity;
    },
  };
}
