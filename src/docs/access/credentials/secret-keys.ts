import { createHash, randomBytes } from 'node:crypto';

/** How every API key begins (contract section 5, rule 4). */
export const API_KEY_PREFIX = 'svc_live_';

/** How every MCP key begins. */
export const MCP_KEY_PREFIX = 'mcp_';

/** How every token begins with which a password is reset. */
export const RESET_PREFIX = 'svc_reset_';

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
 * The form in which a key is stored and looked up. A plain hash is enough for keys that are long and random, and
 * looking a hash up tells nothing in time about the key: whoever guesses does not choose the hash.
 */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The first four bytes of the hash, by which people tell MCP keys apart. */
export function fingerprintOf(hash: string): string {
  return hash.slice(0, 8);
}

/** The Unix milliseconds of `expiresAt`, which is in Unix seconds, 0 for never; undefined for never. */
export function expiryOf(expiresAt: number): number | undefined {
  return expiresAt === 0 ? undefined : expiresAt * 1000;
}

/** `expiresAt` in Unix seconds, 0 for never. */
export function isExpired(expiresAt: number, now: number): boolean {
  return expiresAt !== 0 && expiresAt <= now;
}
