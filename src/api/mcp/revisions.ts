import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { ConfigError } from '../../lib/setting-values.ts';
import { INVALID_PARAMS, McpFault, UNSUPPORTED_REVISION } from './core/fault.ts';

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

/** A JSON-RPC message, not yet checked. */
export type Message = Readonly<Record<string, unknown>>;

/** Methods that only the revision without sessions has. */
const STATELESS_METHODS: ReadonlySet<unknown> = new Set(['server/discover', 'subscriptions/listen']);

/** The revision that a request declares, valid or not. */
function claimedRevision({ params }: Message): unknown {
  const meta = (params as Message | null | undefined)?.['_meta'];
  return (meta as Message | null | undefined)?.[PROTOCOL_VERSION_META_KEY];
}

/** Whether a message belongs to the revision without sessions, by its contents. */
export function isStatelessMessage(message: Message): boolean {
  return STATELESS_METHODS.has(message['method']) || claimedRevision(message) !== undefined;
}

/**
 * Throws `McpFault` if a message of the revision without sessions declares no revision, or one that this server does
 * not serve.
 */
export function checkStateless(message: Message, { supported }: Revisions): void {
  const requested = claimedRevision(message);
  if (!supported.includes(STATELESS)) {
    throw new McpFault(UNSUPPORTED_REVISION, `Unsupported protocol version; this server is pinned to ${HANDSHAKE}`, {
      supported: [...supported],
      requested: typeof requested === 'string' ? requested.slice(0, 64) : STATELESS,
    });
  }
  if (requested === undefined)
    throw new McpFault(INVALID_PARAMS, `Invalid params: params._meta must have "${PROTOCOL_VERSION_META_KEY}"`);
}
