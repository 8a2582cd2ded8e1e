import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Tokens } from '../credentials/tokens.ts';
import { invalidCredentials } from '../unauthenticated.ts';
import type { Oidc } from './oidc.ts';

type OidcHandlers = Required<Pick<Handlers<Operations>, 'getSignInMethods' | 'startOidcSignIn' | 'finishOidcSignIn'>>;

/** Throws without an issuer. */
export function oidcHandlers(oidc: Oidc | undefined, tokens: Tokens): OidcHandlers {
  return {
    getSignInMethods: async () => ({ password: true, oidc: oidc !== undefined }),
    startOidcSignIn: async () => requireIssuer(oidc).issuer.begin(),
    async finishOidcSignIn({ flow, query }, { setActor }) {
      const { issuer } = requireIssuer(oidc);
      const signedIn = await oidc!.admit(await issuer.end(flow, query));
      if (signedIn === undefined) throw invalidCredentials();
      const { account, rights } = signedIn;
      setActor?.(account.username);
      const signOutUrl = await issuer.signOutUrl();
      return {
        ...(await tokens.sign({ ...account, rights }, account.admin, tokens.newSession(true))),
        username: account.username,
        ...(signOutUrl !== undefined && { signOutUrl }),
      };
    },
  };
}

function requireIssuer(oidc: Oidc | undefined): Oidc {
  if (oidc === undefined) throw new ServiceError('not_found', 'not found: sign-in by OpenID Connect is not configured');
  return oidc;
}
