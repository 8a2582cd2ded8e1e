import { jwtVerify, SignJWT } from 'jose';
import { unixSeconds, type Clock } from '../../../lib/clock.ts';
import type { ClaimedRights } from '../oidc/claims.ts';

/** The data in a token about its holder. */
export interface TokenClaims {
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
}

export interface TokenOptions {
  readonly secret: string;
  /** Milliseconds. */
  readonly lifetimeMs: number;
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
  readonly #clock: Clock;

  constructor({ secret, lifetimeMs, clock }: TokenOptions) {
    this.#key = crypto.subtle.importKey('raw', Buffer.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
    this.#lifetime = Math.floor(lifetimeMs / 1000);
    this.#clock = clock;
  }

  /** `admin` is for clients to read; the server uses its own records. */
  async sign({ username, tokenId, rights }: TokenClaims, admin: boolean): Promise<{ token: string; expiresAt: number }> {
    const now = unixSeconds(this.#clock);
    const expiresAt = now + this.#lifetime;
    const token = await new SignJWT({ username, admin, ...(rights !== undefined && rights.roles.length + rights.groups.length > 0 && { rights }) })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuer(ISSUER)
      .setSubject(tokenId)
      .setIssuedAt(now)
      .setExpirationTime(expiresAt)
      .sign(await this.#key);
    return { token, expiresAt };
  }

  /** Undefined for everything that is not a valid token of this service; the reason is not reported. */
  async verify(token: string): Promise<VerifiedClaims | undefined> {
    if (token.length > MAX_LENGTH) return undefined;
    try {
      const { payload } = await jwtVerify(token, await this.#key, {
        algorithms: [ALGORITHM], issuer: ISSUER, clockTolerance: SKEW,
        requiredClaims: ['exp', 'iat', 'sub'], currentDate: new Date(this.#clock.now()),
      });
      const { username, sub, iat, exp, rights } = payload;
      const isOfNow = iat! <= unixSeconds(this.#clock) + SKEW;
      return isOfNow && typeof username === 'string' ? { username, tokenId: sub!, expiresAt: (exp! + SKEW) * 1000, ...(rights !== undefined && { rights: rights as ClaimedRights }) } : undefined;
    } catch {
      return undefined;
    }
  }
}
