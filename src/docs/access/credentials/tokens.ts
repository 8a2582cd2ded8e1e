import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { createHash, randomBytes } from 'node:crypto';
import { type Clock, unixSeconds } from '../../../lib/clock.ts';
import type { ClaimedRights } from '../oidc/oidc.ts';

/** The data in a token about its holder. */
interface TokenClaims {
  readonly username: string;
  /** The token id that the user had when the token was made. */
  readonly tokenId: string;
  /** The rights that claims of an issuer stood for when the token was made; absent without any. */
  readonly rights?: ClaimedRights;
}

/** The data of a token that was verified. */
export interface VerifiedClaims extends TokenClaims {
  /** When the token expires, in Unix milliseconds. */
  readonly expiresAt: number;
  readonly session: TokenSession;
}

/** The sign-in from which a token and its renewals come. */
interface TokenSession {
  readonly id: string;
  /** Until when the token can be renewed, in Unix seconds. */
  readonly endsAt: number;
  /** Whether the user signed in at an issuer of OpenID Connect. */
  readonly atIssuer: boolean;
}

/** A token as responses contain it; times in Unix seconds. */
interface SignedToken {
  readonly token: string;
  readonly expiresAt: number;
  readonly sessionEndsAt: number;
}

interface TokenOptions {
  readonly secret: string;
  /** Milliseconds. */
  readonly lifetimeMs: number;
  /** How long a session can be renewed, in milliseconds; a shorter time than `lifetimeMs` counts as that. */
  readonly sessionMaxMs?: number | undefined;
  readonly clock: Clock;
}

const ALGORITHM = 'HS256';

/** Distinguishes tokens of this service from those of another service that has the same secret. */
export const ISSUER = 'quire';

/** Allowed difference between the clocks of two servers, in seconds (decisions section 5.1). */
const SKEW = 60;

/** Maximum number of characters of a token; tokens of this service have fewer than 400. */
const MAX_LENGTH = 4096;

/** JSON Web Tokens (RFC 7519), signed with HS256 and nothing else (contract section 5, rule 3). */
export class Tokens {
  readonly #key: Promise<CryptoKey>;
  readonly #lifetime: number;
  readonly #sessionMax: number;
  readonly #clock: Clock;

  constructor({ secret, lifetimeMs, sessionMaxMs = 0, clock }: TokenOptions) {
    this.#key = crypto.subtle.importKey('raw', Buffer.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign',
      'verify']);
    this.#lifetime = Math.floor(lifetimeMs / 1000);
    this.#sessionMax = Math.max(this.#lifetime, Math.floor(sessionMaxMs / 1000));
    this.#clock = clock;
  }

  /** A new session. That of an issuer is not renewed: what the issuer says about its user may change. */
  newSession(atIssuer = false): TokenSession {
    return {
      id: randomBytes(12).toString('hex'),
      endsAt: unixSeconds(this.#clock) + (atIssuer ? this.#lifetime : this.#sessionMax),
      atIssuer,
    };
  }

  /** `admin` is for clients to read; the server uses its own records. */
  async sign({ username, tokenId, rights }: TokenClaims, admin: boolean,
    session = this.newSession()): Promise<SignedToken>
  {
    const now = unixSeconds(this.#clock);
    const expiresAt = Math.min(now + this.#lifetime, session.endsAt);
    const token = await new SignJWT({
      username,
      admin,
      sid: session.id,
      end: session.endsAt,
      ...(session.atIssuer && { oidc: true }),
      ...(rights !== undefined && rights.roles.length + rights.groups.length > 0 && { rights }),
    }).setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' }).setIssuer(ISSUER).setSubject(tokenId).setIssuedAt(now)
      .setExpirationTime(expiresAt).sign(await this.#key);
    return { token, expiresAt, sessionEndsAt: session.endsAt };
  }

  /** Undefined for everything that is not a valid token of this service; the reason is not reported. */
  async verify(token: string): Promise<VerifiedClaims | undefined> {
    if (token.length > MAX_LENGTH || !hasCanonicalSignature(token)) return undefined;
    try {
      const { payload } = await jwtVerify(token, await this.#key, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        clockTolerance: SKEW,
        requiredClaims: ['exp', 'iat', 'sub'],
        currentDate: new Date(this.#clock.now()),
      });
      const { username, sub, iat, exp, rights } = payload;
      const session = sessionIn(token, payload);
      const isOfNow = iat! <= unixSeconds(this.#clock) + SKEW;
      return isOfNow && typeof username === 'string'
        ? {
          username,
          tokenId: sub!,
          expiresAt: (exp! + SKEW) * 1000,
          session,
          rights: rights as ClaimedRights | undefined,
        }
        : undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * Whether the bits that the signature's last character does not need are zero (RFC 4648 section 3.5). Decoders ignore
 * them, so that a token would have four spellings, of which the session of a token without a session id would know one.
 */
function hasCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** Tokens of versions without sessions are each a session of their own, which can be ended, but not renewed. */
function sessionIn(token: string, { sid, end, exp, oidc }: JWTPayload): TokenSession {
  const id = typeof sid === 'string' ? sid : createHash('sha256').update(token).digest('hex');
  return { id, endsAt: typeof end === 'number' ? end : exp!, atIssuer: oidc === true };
}

/** A new id for the tokens of a user; tokens with an earlier id are void. */
export function newTokenId(): string {
  return randomBytes(12).toString('hex');
}
