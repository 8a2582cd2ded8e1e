import type { ServerResponse } from 'node:http';
import { whenClosed } from '../../../lib/responses.ts';
import { clientNetwork } from '../../../lib/trusted-proxies.ts';
import type { AccessWatch } from '../../../operations/index.ts';
import type { Identity } from '../auth/authenticator.ts';

/** The client that opens sessions and streams. */
export interface Party {
  /**
   * The only owner that may use its sessions: an MCP key or a user of the service; undefined without authentication.
   */
  readonly owner: string | undefined;
  /** The account whose share of the sessions is used: the owner's, or the address's. */
  readonly account: string;
  /** The credential, to distinguish a renewed one from the previous one; undefined for none. */
  readonly credential: string | undefined;
  /** Monitors the credential while a session or stream is open. */
  follow(): AccessWatch;
}

export function partyOf(identity: Identity & { readonly ok: true }, ip: string, credential: string | undefined,
  follow: () => AccessWatch): Party
{
  const owner = ownerOf(identity);
  return { owner, account: owner ?? `ip ${clientNetwork(ip)}`, credential, follow };
}

/**
 * The name under which the sessions of a key or a user are recorded as theirs: that of the key itself and of the user's
 * record, because names are used again.
 */
export function ownerOf({ owner, key, user }: Identity & { readonly ok: true }): string | undefined {
  if (owner !== undefined) return `key ${key ?? owner.name}`;
  return user === undefined ? undefined : `user ${user.account ?? user.username}`;
}

/** Ends a response without an end of its own when the credential of its request ends. */
export function endWith(party: Party, response: ServerResponse): void {
  const { signal, release } = party.follow();
  signal.addEventListener('abort', () => void response.end(), { once: true });
  whenClosed(response, release);
}
