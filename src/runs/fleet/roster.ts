import type { RunsEnvironment } from '../environment.ts';
import { labelsOf, listShips, localLabels, readShip, writeDrain, writeTraits, type ShipTraits, type StoredShip } from '../ships/index.ts';
import { revokedShip, unknownShip } from './refusals.ts';
import type { Member } from './session/context.ts';
import { sameTraits } from './ship-info.ts';

/** Who the ships are, and what they say of themselves. */
export class Roster {
  readonly #env: Pick<RunsEnvironment, 'sql' | 'config'>;
  readonly #revocation: (shipId: string) => Uint8Array | undefined;
  /** Names of variables with keys of AI roles, by the ship that has them. */
  readonly #keyVariables = new Map<string, readonly string[]>();

  /** `revocation`: the proof that a ship is revoked. */
  constructor(env: Pick<RunsEnvironment, 'sql' | 'config'>, revocation: (shipId: string) => Uint8Array | undefined) {
    this.#env = env;
    this.#revocation = revocation;
  }

  /** Remembers what the members said when they were last connected. */
  async load(): Promise<void> {
    for (const { id, keyVariables, revokedMs } of await listShips(this.#env.sql)) if (revokedMs === 0) this.#keyVariables.set(id, keyVariables);
  }

  /** Whether a member of the fleet, connected or not, or the ship in this process has this variable set. */
  hasKeyVariable(name: string): boolean {
    for (const variables of this.#keyVariables.values()) if (variables.includes(name)) return true;
    return false;
  }

  forget(shipId: string): void {
    this.#keyVariables.delete(shipId);
  }

  /** A program of the ship connects. Refuses one that is no member. */
  async admit(shipId: string, sessionId: string, traits: ShipTraits): Promise<Member> {
    const member = shipId.startsWith('local:') ? this.#local() : await this.#remote(shipId, sessionId, traits);
    this.#keyVariables.set(shipId, traits.keyVariables);
    return member;
  }

  #local(): Member {
    return { labels: localLabels(this.#env.config.current().config.local.labels), draining: false };
  }

  async #remote(shipId: string, sessionId: string, traits: ShipTraits): Promise<Member> {
    const { sql } = this.#env;
    const ship = this.#requireMember(shipId, await readShip(sql, shipId));
    // Ships connect again far more often than anything about them changes.
    if (sameTraits(ship, traits) && (ship.drainSession === null || ship.drainSession === sessionId)) return { labels: labelsOf(ship), draining: ship.drainSession !== null };
    return sql.transaction(async (tx) => {
      const { drainSession } = this.#requireMember(shipId, await readShip(tx, shipId));
      await writeTraits(tx, shipId, traits);
      // A program that was told to drain has been started anew: it works again. One that comes first after being told takes note.
      const draining = drainSession === '' || drainSession === sessionId;
      if (drainSession !== null) await writeDrain(tx, shipId, draining ? sessionId : null);
      return { labels: labelsOf(ship), draining };
    });
  }

  #requireMember(shipId: string, ship: StoredShip | undefined): StoredShip {
    if (ship === undefined) throw unknownShip();
    if (ship.revokedMs > 0) throw revokedShip(this.#revocation(shipId));
    return ship;
  }
}
