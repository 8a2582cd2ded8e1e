import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../../errors/index.ts';

/** Prefix of every API key (contract section 5, rule 4). */
export const API_KEY_PREFIX = 'svc_live_';

/** Prefix of every MCP key. */
export const MCP_KEY_PREFIX = 'mcp_';

/** Prefix of every token that resets a password. */
const RESET_PREFIX = 'svc_reset_';

export function newResetToken(): string {
  return `${RESET_PREFIX}${randomBytes(24).toString('hex')}`;
}

export function newApiKey(): string {
  return `${API_KEY_PREFIX}${randomBytes(24).toString('hex')}`;
}

export function newMcpKey(): string {
  return `${MCP_KEY_PREFIX}${randomBytes(16).toString('hex')}`;
}

/**
 * The form in which a key is stored and looked up. A plain hash is enough for keys that are long and random. The time
 * of a lookup reveals nothing about the key, because an attacker cannot choose the hash.
 */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The first four bytes of the hash, which identify an MCP key to people. */
export function fingerprintOf(hash: string): string {
  return hash.slice(0, 8);
}

/** The Unix milliseconds of `expiresAt`, which is in Unix seconds; 0 and undefined mean never. */
export function expiryOf(expiresAt: number): number | undefined {
  return expiresAt === 0 ? undefined : expiresAt * 1000;
}

/** `expiresAt` in Unix seconds; 0 means never. */
export function isExpired(expiresAt: number, now: number): boolean {
  return expiresAt !== 0 && expiresAt <= now;
}

/** Throws `invalid_argument` for a key that would have expired already. */
export function requireFuture(expiresAt: number, now: number): void {
  if (isExpired(expiresAt, now))
    throw new ServiceError('invalid_argument', `expiresAt must be in the future, or 0 for never, got ${expiresAt}`);
}
