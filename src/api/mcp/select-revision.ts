import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { INVALID_PARAMS, McpFault, UNSUPPORTED_REVISION } from './core/fault.ts';
import { HANDSHAKE, type Revisions, STATELESS } from './revisions.ts';

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
