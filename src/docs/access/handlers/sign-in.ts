import type { Operations } from '../../../../generated/docs/operations.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { clientNetwork } from '../../../lib/trusted-proxies.ts';
import type { Caller, Handlers } from '../../../operations/index.ts';
import { endSession } from '../accounts.ts';
import { invalidCredentials, unauthenticated } from '../authenticator.ts';
import type { Passwords } from '../credentials/passwords.ts';
import { newTokenId, type Tokens, type VerifiedClaims } from '../credentials/tokens.ts';
import type { Oidc } from '../oidc/oidc.ts';
import { listUsers, readUser, writeUser } from '../user-rows.ts';
import { type AccessStore, write } from '../write.ts';
import { toUser } from './users.ts';

interface SignInDeps extends AccessStore {
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  /** Name of a user who exists. */
  readonly someone: string;
  /** Absent without an issuer. */
  readonly oidc?: Oidc | undefined;
  readonly log: Log;
}

/** A name that no user can have. */
const NO_USER = '';

/** Signing in, and renewing and ending what the token of the request began. API keys and tokens of an issuer cannot. */
export function signInHandlers(
  deps: SignInDeps,
): Required<Pick<Handlers<Operations>, 'login' | 'getCurrentUser' | 'refreshSession' | 'logout'>> {
  const { sql, clock, accounts, passwords, tokens, someone } = deps;
  return {
    async login({ username, password }, { caller }) {
      const user = await readUser(sql, username);
      // Every request looks up one existing and one missing user, because finding a user takes longer than not finding
      // one.
      await readUser(sql, user === undefined ? someone : NO_USER);
      const hash = user === undefined || user.disabled ? undefined : user.passwordHash;
      const party = { address: clientNetwork(caller.ip ?? ''), name: username };
      if (!(await passwords.matches(password, hash, party))) throw invalidCredentials();
      // Read again, because the user may have been deleted while the password was checked.
      const account = await accounts.account(username);
      if (account === undefined || account.disabled || account.tokenId !== user!.tokenId) throw invalidCredentials();
      return {
        ...(await tokens.sign(account, account.admin)),
        mustChangePassword: account.mustChange || undefined,
      };
    },
    async getCurrentUser(_input, { identity }) {
      const [user] = await listUsers(sql, identity.username);
      if (user === undefined) throw unauthenticated('invalid token');
      return toUser(user);
    },
    async refreshSession(_input, { caller }) {
      const { username, tokenId, rights, session } = await claimsOf(tokens, caller, 'renewing a session');
      const account = await accounts.account(username, rights);
      if (account === undefined || account.tokenId !== tokenId) throw unauthenticated('invalid token');
      return tokens.sign({ username, tokenId, rights }, account.admin, session);
    },
    async logout({ everywhere }, context) {
      const { username, tokenId, session } = await claimsOf(tokens, context.caller, 'signing out');
      await write(deps, { kind: 'user.put', key: username, by: context }, async (tx) => {
        const user = everywhere ? await readUser(tx, username) : undefined;
        if (user?.tokenId === tokenId) await writeUser(tx, { ...user, tokenId: newTokenId() });
        // Tokens are accepted for a minute after they expire, because clocks differ; an hour covers that.
        await endSession(tx, session.id, session.endsAt + 3600, unixSeconds(clock));
      });
      return { status: 'signed out', signOutUrl: session.atIssuer ? await signOutUrlOf(deps) : undefined };
    },
  };
}

/**
 * The claims of the caller's token, which the guard has checked. Throws `unauthenticated` for every other credential.
 */
async function claimsOf(tokens: Tokens, { credential }: Caller, what: string): Promise<VerifiedClaims> {
  const claims = credential?.scheme === 'bearer' ? await tokens.verify(credential.value) : undefined;
  if (claims === undefined) throw unauthenticated('missing authentication', `${what} needs a token from login`);
  return claims;
}

/** The user is signed out already, so an issuer that cannot be reached only leaves the user signed in there. */
async function signOutUrlOf({ oidc, log }: SignInDeps): Promise<string | undefined> {
  try {
    return await oidc?.issuer.signOutUrl();
  } catch (error) {
    log.warn({ err: error }, 'the page for signing out of the issuer is not known');
    return undefined;
  }
}
