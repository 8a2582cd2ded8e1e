import { createRemoteJWKSet, customFetch as keysFetch, EncryptJWT, jwtDecrypt, jwtVerify,
  type JWTVerifyGetKey } from 'jose';
import { createHash } from 'node:crypto';
import type * as OpenIdClient from 'openid-client';
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import { ServiceError } from '../../errors/index.ts';
import { type Clock, isRecent, unixSeconds } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { OutboundSettings } from '../outbound-policy.ts';
import { createOutbound } from '../outbound.ts';

/** Settings for signing in at an OpenID Connect issuer. */
export interface IssuerSettings {
  /** URL of the issuer, under which its configuration is found. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  /** The URL to which the issuer redirects browsers: the console. */
  readonly redirectUri: string;
  readonly scopes: string;
  /** The audience that the issuer's tokens must have; empty means the client's id. */
  readonly audience: string;
}

interface IssuerDeps {
  readonly settings: IssuerSettings;
  /** Sends requests to the issuer. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** Encrypts what a browser keeps between the two halves of a sign-in. */
  readonly secret: string;
}

/** Claims of the issuer about a user. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Maximum number of values of a claim that are read. */
const MAX_VALUES = 1000;

/** The texts of a claim that holds a text or a list of them; none for everything else. */
export function claimValues(claims: Readonly<Record<string, unknown>>, name: string): string[] {
  const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const values: unknown[] = (Array.isArray(claim) ? claim : [claim]).slice(0, MAX_VALUES);
  return values.filter((value) => typeof value === 'string');
}

/** A sign-in that has begun. */
interface BegunSignIn {
  /** The URL to which the browser is redirected. */
  readonly url: string;
  /** The encrypted state that the browser keeps until it returns. */
  readonly flow: string;
}

/** Allowed difference between the issuer's clock and this one, in seconds; the same as for other servers. */
const SKEW = 60;

/** Maximum number of seconds between the two halves of a sign-in. */
const FLOW_SECONDS = 600;

/** Seconds after which an issuer that could not be reached is called again. */
const RETRY_SECONDS = 5;

const TIMEOUT_SECONDS = 10;

const MAX_ANSWER_BYTES = 1_048_576;

/** Maximum number of characters of a token; tokens of an issuer with many groups are long. */
const MAX_TOKEN = 16_384;

/** Signature algorithms with a private key that only the issuer has. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA',
  'Ed25519'];

interface Discovered {
  readonly client: typeof OpenIdClient;
  readonly server: ServerMetadata;
  readonly keys: JWTVerifyGetKey;
}

/**
 * The OpenID Connect issuer that the operator trusts: the authorization code flow with PKCE (RFC 7636), state and
 * nonce, and tokens of the issuer for the API. The browser keeps the encrypted state of a flow, so any process can
 * finish a flow that another began.
 */
export class Issuer {
  readonly #deps: IssuerDeps;
  readonly #key: Uint8Array;
  #discovered: Promise<Discovered> | undefined;
  #failedAt = -Infinity;

  constructor(deps: IssuerDeps) {
    this.#deps = deps;
    this.#key = createHash('sha256').update('quire: flow of a sign-in\0').update(deps.secret).digest();
  }

  /** Begins a sign-in. Rejects with `unavailable` if the issuer cannot be reached. */
  async begin(): Promise<BegunSignIn> {
    const { client, server } = await this.#discover();
    const { redirectUri, scopes } = this.#deps.settings;
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
    const url = client.buildAuthorizationUrl(this.#configure(client, server), {
      redirect_uri: redirectUri,
      scope: scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const now = unixSeconds(this.#deps.clock);
    const flow = await new EncryptJWT({ state, nonce, verifier }).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setIssuedAt(now).setExpirationTime(now + FLOW_SECONDS).encrypt(this.#key);
    return { url: url.href, flow };
  }

  /**
   * Ends a sign-in with the query with which the issuer redirected the browser. Rejects with `invalid_credentials`,
   * whatever the cause.
   */
  async end(flow: string, query: string): Promise<Claims> {
    const { client, server } = await this.#discover();
    try {
      const { payload: { state, nonce, verifier } } = await jwtDecrypt(flow, this.#key, {
        currentDate: new Date(this.#deps.clock.now()),
        requiredClaims: ['exp'],
      });
      const callback = new URL(this.#deps.settings.redirectUri);
      callback.search = query;
      const tokens = await client.authorizationCodeGrant(this.#configure(client, server), callback, {
        expectedState: String(state),
        expectedNonce: String(nonce),
        pkceCodeVerifier: String(verifier),
        idTokenExpected: true,
      });
      return tokens.claims() as Claims;
    } catch (error) {
      // Causes may contain the response of the issuer.
      this.#deps.log.warn({ reason: (error as Error).message }, 'a sign-in at the issuer failed');
      throw new ServiceError('invalid_credentials', 'invalid credentials');
    }
  }

  /**
   * The claims of a token of the issuer; undefined for everything that is not a valid token. Rejects with `unavailable`
   * if the issuer cannot be reached.
   */
  async verify(token: string): Promise<{ claims: Claims; expiresAt: number } | undefined> {
    if (token.length > MAX_TOKEN || !isOfIssuer(token, this.#deps.settings.issuer)) return undefined;
    const { server, keys } = await this.#discover();
    const { audience, clientId } = this.#deps.settings;
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer: server.issuer,
        audience: audience === '' ? clientId : audience,
        clockTolerance: SKEW,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(this.#deps.clock.now()),
      });
      return { claims: payload as Claims, expiresAt: (payload.exp! + SKEW) * 1000 };
    } catch {
      return undefined;
    }
  }

  /** The URL at which a browser also signs out of the issuer; undefined if the issuer has no such page. */
  async signOutUrl(): Promise<string | undefined> {
    const { client, server } = await this.#discover();
    if (server.end_session_endpoint === undefined) return undefined;
    return client.buildEndSessionUrl(this.#configure(client, server), {
      post_logout_redirect_uri: this.#deps.settings.redirectUri,
    }).href;
  }

  /** Loads the issuer's configuration once; after a failure, the issuer is not called for a few seconds. */
  async #discover(): Promise<Discovered> {
    const now = this.#deps.clock.now();
    if (this.#discovered === undefined && isRecent(this.#failedAt, now, RETRY_SECONDS * 1000)) throw unavailable();
    this.#discovered ??= this.#ask();
    try {
      return await this.#discovered;
    } catch (error) {
      this.#discovered = undefined;
      this.#failedAt = now;
      this.#deps.log.warn({ err: error, issuer: this.#deps.settings.issuer }, 'the issuer could not be reached');
      throw unavailable();
    }
  }

  /** The package is loaded at the first sign-in. */
  async #ask(): Promise<Discovered> {
    const client = await import('openid-client');
    const { issuer, clientId } = this.#deps.settings;
    const { fetch: call } = this.#deps;
    const found = await client.discovery(new URL(issuer), clientId, {}, client.None(), {
      [client.customFetch]: call as unknown as CustomFetch,
      timeout: TIMEOUT_SECONDS,
      ...(this.#isPlain && { execute: [client.allowInsecureRequests] }),
    });
    const { supportsPKCE: _, ...server } = found.serverMetadata();
    if (server.jwks_uri === undefined) throw new Error('the issuer names no keys');
    const keys = createRemoteJWKSet(new URL(server.jwks_uri), {
      [keysFetch]: (url, options) => call(url, options),
      timeoutDuration: TIMEOUT_SECONDS * 1000,
    });
    return { client, server, keys };
  }

  /** A new object for each use, because its clock is fixed at that time. */
  #configure(client: Discovered['client'], server: ServerMetadata): Configuration {
    const { clientId, clientSecret } = this.#deps.settings;
    const skew = Math.round((this.#deps.clock.now() - Date.now()) / 1000);
    const authentication = clientSecret === '' ? client.None() : client.ClientSecretBasic(clientSecret);
    const configuration = new client.Configuration(server, clientId, {
      [client.clockSkew]: skew,
      [client.clockTolerance]: SKEW,
    }, authentication);
    configuration[client.customFetch] = this.#deps.fetch as unknown as CustomFetch;
    configuration.timeout = TIMEOUT_SECONDS;
    client.enableNonRepudiationChecks(configuration);
    if (this.#isPlain) client.allowInsecureRequests(configuration);
    return configuration;
  }

  /** The settings allow plain HTTP for loopback addresses only. */
  get #isPlain(): boolean {
    return this.#deps.settings.issuer.startsWith('http:');
  }
}

/**
 * An issuer whose requests obey the rules of `net`. Its own address may be private, like every address that the
 * operator configures; other addresses that its configuration names go by `policy`.
 */
export function openIssuer({ policy: { allowPrivate, allowlist }, ...deps }: Omit<IssuerDeps, 'fetch'> & {
  readonly policy: OutboundSettings;
}): { readonly issuer: Issuer; close(): Promise<void> } {
  const { hostname } = new URL(deps.settings.issuer);
  const outbound = createOutbound({ allowPrivate, allowlist: [...allowlist, hostname.replace(/^\[|\]$/g, '')] });
  const fetch = outbound.fetch({ maxBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_SECONDS * 1000 });
  return { issuer: new Issuer({ ...deps, fetch }), close: () => outbound.close() };
}

/** Whether a token claims to be from this issuer; this avoids calls to the issuer for other tokens. */
function isOfIssuer(token: string, issuer: string): boolean {
  try {
    const { iss } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { iss?: unknown };
    return typeof iss === 'string' && iss.replace(/\/$/, '') === issuer.replace(/\/$/, '');
  } catch {
    return false;
  }
}

function unavailable(): ServiceError {
  return new ServiceError('unavailable', 'the issuer cannot be reached; try again later', {
    headers: { 'Retry-After': String(RETRY_SECONDS) },
  });
}
