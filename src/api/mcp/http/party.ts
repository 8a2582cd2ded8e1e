import type { ServerResponse } from 'node:http';
import type { Standing } from '../../../operations/index.ts';
import { clientNetwork } from '../../../lib/trusted-proxies.ts';
import type { Identity } from '../auth/authenticator.ts';

/** Who opens sessions and streams. */
export interface Party {
  /** Who alone may use the sessions that they open: a key of MCP or a user of the service; undefined where nobody says who they are. */
  readonly owner: string | undefined;
  /** Whose share of the sessions is used: the owner's, or the address's. */
  readonly account: string;
  /** What shows who they are, to tell a renewed credential from the one before; undefined for none. */
  readonly credential: string | undefined;
  /** Follows the credential for as long as something stays open. */
  follow(): Standing;
}

export function partyOf(identity: Identity & { readonly ok: true }, ip: string, credential: string | undefined, follow: () => Standing): Party {
  const owner = ownerOf(identity);
  return { owner, account: owner ?? `ip ${clientNetwork(ip)}`, credential, follow };
}

/** Under what the sessions of a key or a user are known as theirs. */
export function ownerOf({ owner, user }: Identity & { readonly ok: true }): string | undefined {
  if (owner !== undefined) return `key ${owner.name}`;
  return user === undefined ? undefined : `user ${user.username}`;
}

/** Ends an answer that goes on for as long as the client likes when the credential of its request does. */
export function endWith(party: Party, response: ServerResponse): void {
  const { signal, release } = party.follow();
  signal.addEventListener('abort', () => void response.end(), { once: true });
  whenClosed(response, release);
}

export function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed || response.writableFinished) then();
  else response.once('close', then);
}
