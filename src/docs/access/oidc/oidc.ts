import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { parseClaimEntry } from '../../../lib/setting-values.ts';
import { type Claims, claimValues, type Issuer, type IssuerSettings } from '../../../net/oidc/issuer.ts';
import type { Handlers } from '../../../operations/index.ts';
import type { Account } from '../accounts.ts';
import { invalidCredentials } from '../authenticator.ts';
import type { Passwords } from '../credentials/passwords.ts';
import { newTokenId, type Tokens } from '../credentials/tokens.ts';
import { countUsers, readSubject, readUser, writeSubject, writeUser } from '../user-rows.ts';
import { type AccessStore, MAX_USERS, requireRoom, write } from '../write.ts';

/** Settings for signing in at an OpenID Connect issuer. */
export interface OidcSettings extends IssuerSettings {
  /** Claim that contains the name of a new user. */
  readonly usernameClaim: string;
  /** Claim that contains a name or a list of names, and what they stand for. */
  readonly rolesClaim: string;
  readonly roles: readonly string[];
  /** Whether an unknown user with a valid sign-in is created. */
  readonly createUsers: boolean;
}

/** The rights that claims of an issuer stand for: names of roles and groups, in order, each once. */
export interface ClaimedRights {
  readonly roles: readonly string[];
  readonly groups: readonly string[];
}

const NOTHING: ClaimedRights = { roles: [], groups: [] };

const GROUP = 'group:';

/**
 * Reads the rights out of claims. `mapping` has entries such as `staff=reader` and `writers=group:editors`: a value of
 * the claim, and the role or group that it stands for. Values that the mapping does not name are ignored.
 */
class ClaimMapping {
  readonly #claim: string;
  readonly #meanings = new Map<string, readonly string[]>();

  constructor(claim: string, mapping: readonly string[]) {
    this.#claim = claim;
    for (const entry of mapping) {
      const [value, meaning] = parseClaimEntry(entry) ?? [];
      if (value !== undefined && meaning !== undefined)
        this.#meanings.set(value, [...(this.#meanings.get(value) ?? []), meaning]);
    }
  }

  rightsIn(claims: Readonly<Record<string, unknown>>): ClaimedRights {
    if (this.#meanings.size === 0) return NOTHING;
    const meanings = new Set(claimValues(claims, this.#claim).flatMap((value) => this.#meanings.get(value) ?? []));
    const groups = [...meanings].filter((meaning) => meaning.startsWith(GROUP)).map((meaning) =>
      meaning.slice(GROUP.length)
    );
    return { roles: [...meanings].filter((meaning) => !meaning.startsWith(GROUP)).sort(), groups: groups.sort() };
  }
}

interface OidcDeps extends AccessStore {
  readonly settings: OidcSettings;
  readonly issuer: Issuer;
  readonly passwords: Passwords;
  readonly log: Log;
  /** Whether this process may create users; false if it must not write. */
  readonly mayCreate: () => boolean;
}

/** A user whom the issuer has authenticated. */
interface SignedIn {
  readonly account: Account;
  readonly rights: ClaimedRights;
}

/** As in the specification. */
const USERNAME = /^[A-Za-z0-9._@-]{1,64}$/;

/**
 * Maps an issuer's claims to a user. Users are identified by the issuer's `sub`, which is never reassigned, and never
 * by a name: someone who may choose their name at the issuer must not become another user here.
 */
export class Oidc {
  readonly #deps: OidcDeps;
  readonly #mapping: ClaimMapping;

  constructor(deps: OidcDeps) {
    this.#deps = deps;
    this.#mapping = new ClaimMapping(deps.settings.rolesClaim, deps.settings.roles);
  }

  get issuer(): Issuer {
    return this.#deps.issuer;
  }

  /**
   * The user who signs in with these claims, created if that is allowed; undefined for a disabled user. Throws
   * `forbidden` for everyone else.
   */
  async admit(claims: Claims): Promise<SignedIn | undefined> {
    const username = (await this.#known(claims)) ?? (await this.#create(claims));
    return this.#account(username, claims);
  }

  /** The user of a token of the issuer; undefined if the token is not valid. */
  async identify(token: string): Promise<(SignedIn & { readonly expiresAt: number }) | undefined> {
    const verified = await this.#deps.issuer.verify(token);
    if (verified === undefined) return undefined;
    const username = (await this.#known(verified.claims)) ?? (await this.#create(verified.claims).catch(orUnknown));
    const signedIn = username === undefined ? undefined : await this.#account(username, verified.claims);
    return signedIn && { ...signedIn, expiresAt: verified.expiresAt };
  }

  #known({ sub }: Claims): Promise<string | undefined> {
    return readSubject(this.#deps.sql, { issuer: this.#deps.settings.issuer, subject: sub });
  }

  async #account(username: string, claims: Claims): Promise<SignedIn | undefined> {
    const rights = this.#mapping.rightsIn(claims);
    const account = await this.#deps.accounts.account(username, rights);
    return account === undefined || account.disabled ? undefined : { account, rights };
  }

  /** A new user has no password, and only the rights that the claims stand for. */
  async #create(claims: Claims): Promise<string> {
    const { settings: { createUsers, usernameClaim, issuer }, mayCreate, passwords, clock, log } = this.#deps;
    if (!createUsers || !mayCreate()) throw unlinked('an administrator has to link this account first');
    const username = claims[usernameClaim];
    if (typeof username !== 'string' || !USERNAME.test(username))
      throw unlinked(`the claim ${usernameClaim} is no name that a user can have`);
    const passwordHash = passwords.unusable();
    const subject = { issuer, subject: claims.sub };
    return write(this.#deps, { kind: 'user.put', key: username }, async (tx) => {
      const known = await readSubject(tx, subject);
      if (known !== undefined) return known;
      if ((await readUser(tx, username)) !== undefined)
        throw unlinked(`there is a user ${username} already, whom an administrator has to link first`);
      requireRoom(await countUsers(tx), MAX_USERS, 'users');
      await writeUser(tx, {
        username,
        uid: newTokenId(),
        tokenId: newTokenId(),
        passwordHash,
        admin: false,
        disabled: false,
        mustChange: false,
        createdAt: unixSeconds(clock),
      });
      await writeSubject(tx, username, subject);
      log.info({ username }, 'user created at the first sign-in by OpenID Connect');
      return username;
    });
  }
}

/** A credential is either valid or not: the error must not reveal anything about users. */
function orUnknown(error: unknown): undefined {
  if (error instanceof ServiceError) return undefined;
  throw error;
}

function unlinked(why: string): ServiceError {
  return new ServiceError('forbidden', `forbidden: ${why}`);
}

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
        signOutUrl,
      };
    },
  };
}

function requireIssuer(oidc: Oidc | undefined): Oidc {
  if (oidc === undefined) throw new ServiceError('not_found', 'not found: sign-in by OpenID Connect is not configured');
  return oidc;
}
