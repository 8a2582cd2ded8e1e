import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';
import { EVERYONE, NOBODY, type Caller, type Guard, type Identity } from '../../operations/index.ts';
import type { LiveConfig } from '../environment.ts';

/** The holder of the API token, who may do everything. */
const HOLDER: Identity = { username: 'api', admin: true, by: 'token', may: () => true };

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Who may call (contract, section 5; decisions, section 2.1): writing always takes the API token, reading where one
 * is configured. The tokens are those of the configuration as it is now.
 */
export function createGuard(config: LiveConfig): Guard {
  const hashesOf = createHashes();
  return {
    identify({ access }, { credential }: Caller) {
      if (access === 'public') return NOBODY;
      const { apiTokens } = config.current();
      if (access === 'read' && apiTokens.length === 0) return EVERYONE;
      if (credential?.scheme !== 'bearer' || !isOneOf(credential.value, hashesOf(apiTokens))) throw unauthenticated();
      return HOLDER;
    },
  };
}

/** Hashes are of one length, and each is compared: the time tells nothing of a token, nor of how many there are that differ. */
function isOneOf(presented: string, hashes: readonly Buffer[]): boolean {
  const hash = hashOf(presented);
  return hashes.map((known) => timingSafeEqual(hash, known)).includes(true);
}

/** Keeps the hashes of the latest tokens, so that a request costs one hash only. */
function createHashes(): (tokens: readonly string[]) => readonly Buffer[] {
  let latest: { readonly tokens: readonly string[]; readonly hashes: readonly Buffer[] } | undefined;
  return (tokens) => {
    if (latest?.tokens !== tokens) latest = { tokens, hashes: tokens.map(hashOf) };
    return latest.hashes;
  };
}

/** A 401 says how to sign in (RFC 9110, section 15.5.2). */
function unauthenticated(): ServiceError {
  return new ServiceError('unauthenticated', 'the bearer token is missing or wrong', { headers: { 'WWW-Authenticate': 'Bearer' } });
}
