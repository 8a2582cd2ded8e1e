import { randomBytes } from 'node:crypto';
import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Claims, claimValues, type Issuer, openIssuer } from '../../net/oidc/issuer.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Audit } from '../audit/index.ts';
import { grantsOf, type PeopleOfIssuer, type Person, rightsOf } from '../auth/index.ts';
import type { Environment, OidcConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { beginSession, endSession, isSessionToken, readSession } from './session-rows.ts';

type PeopleHandlers = Required<
  Pick<Handlers<Operations>, 'getSignInMethods' | 'startOidcSignIn' | 'finishOidcSignIn' | 'getCurrentUser' | 'logout'>
>;

interface PeopleDeps {
  readonly variables: Environment;
  readonly audit: Audit;
}

/** An issuer, as one version of the configuration describes it. */
interface Opened {
  readonly key: string;
  readonly issuer: Issuer;
  close(): Promise<void>;
}

/** Other servers do not learn at once that a session has ended: what is open there is checked again after this time. */
const CHECKED_MS = 30_000;

/** Sign-ins that are finished at the same time. Each is a request to the issuer, and anybody may ask for it. */
const MOST_SIGN_INS = 32;

/** Fits into the audit log, and has no spaces or control characters with which it could pass for another name. */
const NAME = /^[^\s\p{C}]{1,128}$/u;

const MAX_GROUP = 255;

/** People who sign in at an issuer of OpenID Connect, and tokens of this issuer. */
export class People implements PeopleOfIssuer {
  readonly #env: RunsEnvironment;
  readonly #deps: PeopleDeps;
  readonly #listeners = new Set<() => void>();
  /** Encrypts the state of sign-ins where the client has no secret. */
  readonly #random = randomBytes(32).toString('hex');
  #opened: Opened | undefined;
  #ended = 0;
  #finishing = 0;

  constructor(env: RunsEnvironment, deps: PeopleDeps) {
    this.#env = env;
    this.#deps = deps;
  }

  changes(): number {
    return this.#ended;
  }

  /** Calls the listener when a session has ended early; the returned function unsubscribes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async identify(credential: string): ReturnType<PeopleOfIssuer['identify']> {
    const { oidc } = this.#env.config.current().config;
    if (oidc.issuer === '') return undefined;
    const now = this.#env.clock.now();
    if (isSessionToken(credential)) {
      const session = await readSession(this.#env.sql, credential, { issuer: oidc.issuer, now });
      if (session === undefined) return undefined;
      const { subject, name, groups, expiresMs } = session;
      const checkAt = Math.min(expiresMs, now + CHECKED_MS);
      return { username: `user:${name}`, subject, groups, endsAt: expiresMs, checkAt };
    }
    const verified = await this.#asking((issuer) => issuer.verify(credential));
    if (verified === undefined) return undefined;
    const person = personOf(verified.claims, oidc);
    return typeof person === 'string'
      ? undefined
      : { ...person, endsAt: verified.expiresAt, checkAt: verified.expiresAt };
  }

  get handlers(): PeopleHandlers {
    return {
      getSignInMethods: async () => ({ data: { oidc: this.#oidc().issuer !== '' } }),
      startOidcSignIn: async () => ({ data: await this.#asking((issuer) => issuer.begin()) }),
      finishOidcSignIn: async ({ flow, query }) => ({ data: await this.#finish(flow, query) }),
      async getCurrentUser(_input, { identity }) {
        const { grants, endsAt } = rightsOf(identity);
        return {
          data: {
            name: identity.username,
            expires_at: endsAt === undefined ? null : Math.floor(endsAt / 1000),
            grants: grants.map(({ scopes, projects }) => ({
              scopes: [...scopes],
              projects: projects && [...projects],
            })),
          },
        };
      },
      logout: async (_input, { caller: { credential }, identity }) => {
        if (credential === undefined || !isSessionToken(credential.value))
          throw new ServiceError('invalid_input', 'only the session of a person can be ended');
        await this.#env.sql.transaction(async (tx) => {
          await endSession(tx, credential.value);
          await this.#deps.audit.record(tx, identity.username, 'logout', '');
        });
        this.#ended += 1;
        for (const listener of this.#listeners) listener();
        return { data: { sign_out_url: await this.#signOutUrl() } };
      },
    };
  }

  async stop(): Promise<void> {
    await this.#opened?.close();
  }

  async #finish(flow: string, query: string) {
    if (this.#finishing >= MOST_SIGN_INS) throw new ServiceError('rate_limited', 'too many sign-ins at once');
    this.#finishing += 1;
    try {
      const claims = await this.#asking((issuer) => issuer.end(flow, query));
      const oidc = this.#oidc();
      const person = personOf(claims, oidc);
      if (typeof person === 'string') throw new ServiceError('forbidden', person);
      if (grantsOf(person, oidc.roles).length === 0)
        throw new ServiceError('forbidden', `${person.username} has no role here; oidc.roles gives roles`);
      return await this.#begin(person, oidc);
    } finally {
      this.#finishing -= 1;
    }
  }

  async #begin({ username, subject, groups }: Person, { issuer, session }: OidcConfig) {
    const now = this.#env.clock.now();
    const expiresMs = now + session;
    const name = username.slice('user:'.length);
    const token = await this.#env.sql.transaction(async (tx) => {
      await this.#deps.audit.record(tx, username, 'login', '');
      return beginSession(tx, { issuer, subject, name, groups }, { now, expiresMs });
    });
    return {
      token,
      expires_at: Math.floor(expiresMs / 1000),
      name: username,
      sign_out_url: await this.#signOutUrl(),
    };
  }

  /** Nobody is kept from signing in or out here by an issuer that cannot be reached; they only stay signed in there. */
  async #signOutUrl(): Promise<string | null> {
    return (await this.#asking((issuer) => issuer.signOutUrl()).catch(() => undefined)) ?? null;
  }

  #oidc(): OidcConfig {
    return this.#env.config.current().config.oidc;
  }

  async #asking<T>(work: (issuer: Issuer) => Promise<T>): Promise<T> {
    const oidc = this.#oidc();
    if (oidc.issuer === '') throw new ServiceError('not_found', 'there is no sign-in: oidc.issuer is not set');
    try {
      return await work(this.#issuer(oidc));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error;
      throw new ServiceError('issuer_unavailable', error.message, { cause: error, headers: error.headers });
    }
  }

  /** The issuer of the current configuration. */
  #issuer(oidc: OidcConfig): Issuer {
    const { client_secret_env: variable } = oidc;
    const clientSecret = variable === '' ? '' : this.#deps.variables[variable] ?? '';
    if (variable !== '' && clientSecret === '')
      throw new ServiceError('issuer_unavailable', `the variable ${variable} of oidc.client_secret_env is not set`);
    const key = JSON.stringify([oidc, clientSecret]);
    if (this.#opened?.key !== key) {
      void this.#opened?.close();
      const settings = {
        issuer: oidc.issuer,
        clientId: oidc.client_id,
        clientSecret,
        redirectUri: oidc.redirect_uri,
        scopes: oidc.scopes,
        audience: oidc.audience,
      };
      const { clock, log } = this.#env;
      this.#opened = {
        key,
        ...openIssuer({
          settings,
          policy: { allowPrivate: 'false', allowlist: [] },
          clock,
          log,
          secret: clientSecret || this.#random,
        }),
      };
    }
    return this.#opened.issuer;
  }
}

/**
 * The person of claims; a text says why there is none. An address that its owner has not confirmed is no name: anybody
 * could claim it.
 */
function personOf(claims: Claims, { name_claim: claim, groups_claim: groups }: OidcConfig): Person | string {
  const name = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof name !== 'string' || !NAME.test(name)) return `the issuer's claim ${claim} (oidc.name_claim) is no name`;
  if (claim === 'email' && claims['email_verified'] !== true)
    return 'the issuer does not say that the address is confirmed (email_verified); set oidc.name_claim to another claim';
  return {
    username: `user:${name}`,
    subject: claims.sub,
    groups: claimValues(claims, groups).filter((group) => group.length <= MAX_GROUP),
  };
}
