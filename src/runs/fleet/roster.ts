import type { RunsEnvironment } from '../environment.ts';
import { labelsOf, listShips, localLabels, readShip, type ShipTraits, type StoredShip,
  writeTraits } from '../ships/index.ts';
import type { Authority } from './authority/authority.ts';
import { revokedShip, unknownShip } from './holders.ts';
import type { Member } from './session/context.ts';
import { sameTraits } from './ship-info.ts';

interface Known {
  /** Empty for the ship in this process. */
  readonly name: string;
  /** Names of variables with keys of AI roles. */
  readonly keyVariables: readonly string[];
  readonly labels: readonly string[];
}

/** The members of the fleet, and what they report about themselves. */
export class Roster {
  readonly #env: Pick<RunsEnvironment, 'sql' | 'config'>;
  readonly #authority: Pick<Authority, 'revocation'> | undefined;
  /** Data of the members, connected or not. */
  readonly #known = new Map<string, Known>();

  /** `authority`: has the proofs that ships are revoked; undefined while the fleet is off. */
  constructor(env: Pick<RunsEnvironment, 'sql' | 'config'>, authority: Pick<Authority, 'revocation'> | undefined) {
    this.#env = env;
    this.#authority = authority;
  }

  /** Loads what the members reported when they were last connected. */
  async start(): Promise<void> {
    this.remember(await listShips(this.#env.sql));
  }

  /** Members as they are stored. */
  remember(ships: readonly StoredShip[]): void {
    for (const ship of ships)
      if (ship.revokedMs === 0)
        this.#known.set(ship.id, { name: ship.name, keyVariables: ship.keyVariables, labels: labelsOf(ship) });
  }

  /** Whether this variable is set on a member of the fleet, connected or not, or on the ship in this process. */
  hasKeyVariable(name: string): boolean {
    for (const { keyVariables } of this.#known.values()) if (keyVariables.includes(name)) return true;
    return false;
  }

  /** Whether a member of the fleet, connected or not, has all these labels. */
  hasLabels(selectors: readonly string[]): boolean {
    for (const { labels } of this.#known.values())
      if (selectors.every((selector) => labels.includes(selector))) return true;
    return false;
  }

  /** Names a ship for people; one that is in the process of a server, or not known here, by its id. */
  describe(shipId: string): string {
    if (shipId.startsWith('local:')) return `the ship of server ${shipId.slice('local:'.length)}`;
    return `ship ${this.#known.get(shipId)?.name ?? shipId}`;
  }

  forget(shipId: string): void {
    this.#known.delete(shipId);
  }

  /** Called when a program of the ship connects. Refuses ships that are not members. */
  async admit(shipId: string, sessionId: string, traits: ShipTraits): Promise<Member> {
    const ship = shipId.startsWith('local:') ? undefined : await this.#remote(shipId, traits);
    const member = ship === undefined ? this.#local() : asMember(ship, sessionId);
    this.#known.set(shipId, { name: ship?.name ?? '', keyVariables: traits.keyVariables, labels: member.labels });
    return member;
  }

  #local(): Member {
    return { labels: localLabels(this.#env.config.current().config.local.labels), draining: false, ends: false };
  }

  async #remote(shipId: string, traits: ShipTraits): Promise<StoredShip> {
    const { sql } = this.#env;
    const ship = this.#requireMember(shipId, await readShip(sql, shipId));
    // Written only when changed: ships reconnect far more often than their data changes.
    if (sameTraits(ship, traits)) return ship;
    return sql.transaction(async (tx) => {
      const latest = this.#requireMember(shipId, await readShip(tx, shipId));
      await writeTraits(tx, shipId, traits);
      return latest;
    });
  }

  #requireMember(shipId: string, ship: StoredShip | undefined): StoredShip {
    if (ship === undefined) throw unknownShip();
    if (ship.revokedMs > 0) throw revokedShip(this.#authority?.revocation(shipId));
    return ship;
  }
}

/** A draining ship drains until an operator ends that, even if its program is restarted. */
function asMember(ship: StoredShip, sessionId: string): Member {
  return { labels: labelsOf(ship), draining: ship.drainSession !== null, ends: ship.drainSession === sessionId };
}
