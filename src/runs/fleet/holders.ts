import { Lru } from '../../lib/caches.ts';
import type { RunsEnvironment } from '../environment.ts';
import { readHolder } from '../ships/index.ts';
import type { Authority } from './authority/authority.ts';
import { FleetRefusal, type Peer } from './port.ts';

/** How long data of a certificate is cached, in case another server of a cluster revokes it. */
const HOLDER_MS = 5000;
const HOLDERS = 10_000;

interface Holder {
  readonly readMs: number;
  readonly peer: Peer & { readonly expiresMs: number };
}

/** Which ships the certificates of the fleet belong to. */
export class Holders {
  readonly #env: Pick<RunsEnvironment, 'sql' | 'clock'>;
  readonly #authority: Pick<Authority, 'revocation'> | undefined;
  readonly #known = new Lru<string, Holder>(HOLDERS);
  /** Increases when a membership ends, so that data that was read before is not cached afterwards. */
  #endings = 0;

  /** `authority`: has the proofs that ships are revoked; undefined while the fleet is off. */
  constructor(env: Pick<RunsEnvironment, 'sql' | 'clock'>, authority: Pick<Authority, 'revocation'> | undefined) {
    this.#env = env;
    this.#authority = authority;
  }

  /** See `FleetService.peerOf`. */
  async peerOf(serial: string): Promise<Peer> {
    const now = this.#env.clock.now();
    const known = this.#known.get(serial);
    const holder = known !== undefined && Math.abs(now - known.readMs) < HOLDER_MS
      ? known
      : await this.#read(serial, now);
    if (holder.peer.expiresMs <= now)
      throw new FleetRefusal('unauthenticated', 'the certificate has expired; connect with the new one, or join again');
    return holder.peer;
  }

  /** Called when a membership has ended: clears the cache. */
  forget(): void {
    this.#endings += 1;
    this.#known.clear();
  }

  async #read(serial: string, now: number): Promise<Holder> {
    const endings = this.#endings;
    const found = await readHolder(this.#env.sql, serial);
    if (found === undefined) throw unknownShip();
    if (found.isRevoked) throw revokedShip(this.#authority?.revocation(found.shipId));
    const holder: Holder = { readMs: now, peer: { shipId: found.shipId, expiresMs: found.expiresMs } };
    if (endings === this.#endings) this.#known.set(serial, holder);
    return holder;
  }
}

/**
 * For a ship that this server does not know, perhaps because its store is older: the ship keeps its key and tries
 * again.
 */
export const unknownShip = (): FleetRefusal => new FleetRefusal('not_found', 'the ship is not known to this server');

/** Contains the proof, for which the ship deletes its key. */
export const revokedShip = (revocation: Uint8Array | undefined): FleetRefusal =>
  new FleetRefusal('permission_denied', 'the ship is revoked', revocation);
