import type { Operations } from '../../../../generated/docs/operations.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Caller, Handlers } from '../../../operations/index.ts';
import { endSession } from '../accounts.ts';
import { unauthenticated } from '../authenticator.ts';
import { newTokenId, type Tokens, type VerifiedClaims } from '../credentials/tokens.ts';
import type { Oidc } from '../oidc/oidc.ts';
import { readUser, writeUser } from '../rows/user-rows.ts';
import { type AccessStore, write } from '../write.ts';

export interface SessionDeps extends AccessStore {
  readonly tokens: Tokens;
  /** Absent without an issuer. */
  readonly oidc?: Oidc | undefined;
  readonly log: Log;
}

/** Renewing and ending the session of the token in the request. API keys and tokens of an issuer have none. */
export function sessionHandlers(deps: SessionDeps): Required<Pick<Handlers<Operations>, 'refreshSession' | 'logout'>> {
  const { clock, accounts, tokens } = deps;
  return {
    async refreshSession(_input, { caller }) {
      const { username, tokenId, rights, session } = await claimsOf(tokens, caller, 'renewing a session');
      const account = await accounts.account(username, rights);
      if (account === undefined || account.tokenId !== tokenId) throw unauthenticated('invalid token');
      return tokens.sign({ username, tokenId, ...(rights && { rights }) }, account.admin, session);
    },
    async logout({ everywhere }, context) {
      const { username, tokenId, session } = await claimsOf(tokens, context.caller, 'signing out');
      await write(deps, { kind: 'user.put', key: username, by: context }, async (tx) => {
        const user = everywhere ? await readUser(tx, username) : undefined;
        if (user?.tokenId === tokenId) await writeUser(tx, { ...user, tokenId: newTokenId() });
        // Tokens are accepted for a minute after they expire, because clocks differ; an hour covers that.
        await endSession(tx, session.id, session.endsAt + 3600, unixSeconds(clock));
      });
      const signOutUrl = session.atIssuer ? await signOutUrlOf(deps) : undefined;
      return { status: 'signed out', ...(signOutUrl !== undefined && { signOutUrl }) };
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

/** The session has ended already, so an issuer that cannot be reached only leaves the user signed in there. */
async function signOutUrlOf({ oidc, log }: SessionDeps): Promise<string | undefined> {
  try {
    return await oidc?.issuer.signOutUrl();
  } catch (error) {
    log.warn({ err: error }, 'the page for signing out of the issuer is not known');
    return undefined;
  }
}
