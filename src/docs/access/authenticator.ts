import { ServiceError } from '../../errors/index.ts';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { ANONYMOUS, type Caller, EVERYONE, type Guard, type Identity,
  type OperationSpec } from '../../operations/index.ts';
import type { Account, Accounts } from './accounts.ts';
import type { KeyUses } from './credentials/api-keys.ts';
import { API_KEY_PREFIX, expiryOf, hashOf, isExpired } from './credentials/secret-keys.ts';
import type { Tokens } from './credentials/tokens.ts';
import type { ClaimedRights, Oidc } from './oidc/oidc.ts';
import { type KeyScope, Scope } from './scope.ts';

interface AuthenticatorDeps {
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly uses: KeyUses;
  readonly clock: Clock;
  /** Absent without an issuer. */
  readonly oidc?: Oidc | undefined;
}

export type Credential = NonNullable<Caller['credential']>;

/**
 * The identity of a credential; undefined for a credential that is unknown, expired, revoked, forged or of a disabled
 * user; callers cannot tell these apart (contract section 5, rule 9). The prefix decides the kind of the credential,
 * whichever header it came in: an API key may be sent as a bearer token, but a token is not accepted as an API key
 * (decisions section 5.1).
 */
export async function identify(deps: AuthenticatorDeps, { scheme, value }: Credential): Promise<Identity | undefined> {
  if (value.startsWith(API_KEY_PREFIX)) return byKey(deps, value);
  return scheme === 'bearer' ? byToken(deps, value) : undefined;
}

async function byKey({ accounts, uses, clock }: AuthenticatorDeps, value: string): Promise<Identity | undefined> {
  const key = await accounts.key(hashOf(value));
  if (key === undefined || key.revokedAt !== 0 || isExpired(key.expiresAt, unixSeconds(clock))) return undefined;
  const account = await accounts.account(key.username);
  if (account === undefined || account.disabled) return undefined;
  uses.note(key.hash);
  return identityByKey(account, key, expiryOf(key.expiresAt));
}

/**
 * The user is looked up each time: tokens are void after their user was deleted, disabled or given a new password, or
 * has signed out.
 */
async function byToken({ accounts, tokens, oidc }: AuthenticatorDeps, value: string): Promise<Identity | undefined> {
  const claims = await tokens.verify(value);
  if (claims === undefined) {
    const signedIn = await oidc?.identify(value);
    return signedIn && identityByToken(signedIn.account, signedIn.expiresAt, signedIn.rights);
  }
  const account = await accounts.account(claims.username, claims.rights);
  if (account === undefined || account.disabled || account.tokenId !== claims.tokenId ||
    (await accounts.isEnded(claims.session.id))) return undefined;
  return identityByToken(account, claims.expiresAt, claims.rights);
}

/** The identity of the holder of a token. An administrator bypasses all checks (contract section 5, rule 8). */
export function identityByToken(account: Account, expiresAt: number, claimed?: ClaimedRights): Identity {
  const identity: Identity = { ...rightsOf(account), by: 'token', expiresAt, claimed };
  return account.mustChange
    ? { ...identity, admin: false, may: () => false, mayAnywhere: () => false, refusal: refuseBeforeTheChange }
    : identity;
}

/** The identity of the holder of an API key: the rights of its owner, restricted by the key's scope. */
export function identityByKey(account: Account, given: KeyScope, expiresAt: number | undefined): Identity {
  const owner: Identity = { ...rightsOf(account), by: 'api-key', expiresAt };
  if (given.collections === undefined && given.operations === undefined) return owner;
  const scope = new Scope(given);
  return {
    ...owner,
    admin: false,
    administers: owner.admin && scope.isServerWide,
    withoutBodies: scope.withoutBodies,
    may: (permission, collection) => scope.permits(permission, collection) && owner.may(permission, collection),
    mayAnywhere: (permission) => scope.permitsAnywhere(permission) && owner.mayAnywhere!(permission),
    refusal: (spec) => scope.refusal(spec),
  };
}

function rightsOf(
  { username, uid, admin, grants }: Account,
): Pick<Identity, 'username' | 'account' | 'admin' | 'may' | 'mayAnywhere'> {
  return {
    username,
    account: uid,
    admin,
    may: admin ? () => true : (permission, collection) => grants.may(permission, collection),
    mayAnywhere: (permission) => admin || grants.mayAnywhere(permission),
  };
}

function refuseBeforeTheChange({ passwordPending }: OperationSpec): string | undefined {
  return passwordPending === true ? undefined : 'the password has to be changed first, with changePassword';
}

/** A 401 says how to sign in (RFC 9110, section 15.5.2). */
const HEADERS = { 'WWW-Authenticate': 'Bearer realm="quire"' };

/** `detail` follows the fixed phrases of the contract, section 7. */
export function unauthenticated(phrase: 'missing authentication' | 'invalid token', detail = ''): ServiceError {
  return new ServiceError('unauthenticated', `${phrase}${detail && `: ${detail}`}`, { headers: HEADERS });
}

/** An unknown name, a wrong password and a disabled user cause the same error. */
export function invalidCredentials(): ServiceError {
  return new ServiceError('invalid_credentials', 'invalid credentials', { headers: HEADERS });
}

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
          expiresAt: trustedUntil,
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
