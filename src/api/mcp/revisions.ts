import { ConfigError } from '../../lib/config-error.ts';

/** The revision without sessions: every request is independent. */
export const STATELESS = '2026-07-28';

/** The revision that begins with `initialize`. */
export const HANDSHAKE = '2025-11-25';

/** The revisions that are served, newest first. */
export const REVISIONS: readonly string[] = [STATELESS, HANDSHAKE];

/** Which revisions a server serves. */
export interface Revisions {
  readonly supported: readonly string[];
  /** Whether the settings allow only one revision. */
  readonly pinned: boolean;
}

/**
 * The revisions that remain if one is pinned; all if the pin is empty. Throws `ConfigError` for an unknown revision.
 */
export function pinRevision(pin: string): Revisions {
  if (pin === '') return { supported: REVISIONS, pinned: false };
  if (REVISIONS.includes(pin)) return { supported: [pin], pinned: true };
  throw new ConfigError([`SVC_MCP_PROTOCOL_VERSION: expected one of ${REVISIONS.join(', ')}, got ${pin}`]);
}
