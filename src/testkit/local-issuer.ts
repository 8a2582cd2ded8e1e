import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'quire', secret: 'a secret that only these tests know' };
export const REDIRECT = 'http://127.0.0.1:1/console';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/**
 * For tests: an issuer of OpenID Connect on loopback, at which everybody is whoever `account` says, without being
 * asked.
 */
export class LocalIssuer {
  readonly url: string;
  readonly #server: Server;
  readonly #key: PrivateKey;
  readonly #redirect: string;
  /** Whom the next browser is. */
  account = 'sub-of-ann';
  /** Whether it sends browsers back with `access_denied` instead of signing them in. */
  refuses = false;
  /** What the issuer says of everybody. */
  claims: Record<string, unknown> = { preferred_username: 'ann', groups: ['staff'] };

  private constructor(url: string, server: Server, key: PrivateKey, redirect: string) {
    this.url = url;
    this.#server = server;
    this.#key = key;
    this.#redirect = redirect;
  }

  /** Settings of a service that signs users in at this issuer, and creates those that it does not know. */
  get environment(): Record<string, string> {
    return {
      SVC_OIDC_ISSUER: this.url,
      SVC_OIDC_CLIENT_ID: CLIENT.id,
      SVC_OIDC_CLIENT_SECRET: CLIENT.secret,
      SVC_OIDC_REDIRECT_URI: this.#redirect,
      SVC_OIDC_CREATE_USERS: 'true',
    };
  }

  /** Browsers are sent back to `redirect`, after signing out, too. */
  static async start(redirect = REDIRECT): Promise<LocalIssuer> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = new LocalIssuer(url, server, privateKey, redirect);
    const provider = new Provider(url, {
      clients: [{
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirect],
        post_logout_redirect_uris: [redirect],
      }],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'k' }] },
      cookies: { keys: ['only for tests'] },
      features: { devInteractions: { enabled: false } },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      conformIdTokenClaims: false,
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email', 'email_verified'] },
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...issuer.claims }) }),
      async loadExistingGrant(ctx) {
        const grant = new ctx.oidc.provider.Grant({ accountId: ctx.oidc.session!.accountId!, clientId: CLIENT.id });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
    const handle = provider.callback();
    server.on('request', (request, response) => {
      if (request.url?.startsWith('/interaction/') !== true) return void handle(request, response);
      void provider.interactionFinished(request, response,
        issuer.refuses ? { error: 'access_denied' } : { login: { accountId: issuer.account } });
    });
    return issuer;
  }

  /** A token of the issuer for the API. */
  token(sub: string, claims: Record<string, unknown>,
    { audience = CLIENT.id, now = Math.floor(Date.now() / 1000), key = this.#key, issuer = this.url }: {
      audience?: string;
      now?: number;
      key?: PrivateKey;
      issuer?: string;
    } = {}): Promise<string>
  {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).setIssuer(issuer).setSubject(sub)
      .setAudience(audience).setIssuedAt(now).setExpirationTime(now + 300).sign(key);
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close').catch(() => undefined);
  }
}

/** What a browser does that is sent to a page of the issuer: the query with which it comes back. */
export async function browse(url: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let next = url;;) {
    if (next.startsWith(REDIRECT)) return new URL(next).search.slice(1);
    const answer = await fetch(next, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('Location');
    if (location === null) throw new Error(`${next}: ${answer.status} ${await answer.text()}`);
    next = new URL(location, next).href;
  }
}
