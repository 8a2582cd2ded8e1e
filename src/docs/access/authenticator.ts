import { type Clock, unixSeconds } from '../../lib/clock.ts';
import type { Caller, Identity } from '../../operations/index.ts';
import type { Accounts } from './accounts.ts';
import type { KeyUses } from './credentials/key-uses.ts';
import { API_KEY_PREFIX, expiryOf, hashOf, isExpired } from './credentials/secret-keys.ts';
import type { Tokens } from './credentials/tokens.ts';
import { identityByKey, identityByToken } from './identity-of.ts';
import type { Oidc } from './oidc/index.ts';

export interface AuthenticatorDeps {
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
