import { Loop } from '../../lib/loop.ts';
import type { RunsEnvironment } from '../environment.ts';
import { hasExpired, listGone, listShips, removeExpiredCertificates, removeExpiredTokens,
  writeLastSeen } from '../ships/index.ts';
import type { Roster } from './roster.ts';
import type { Sessions } from './sessions.ts';

/** How soon this server notices a revocation on another server of a cluster, and how often it stores signs of life. */
const INTERVAL_MS = 5000;
/** Rows per statement, because statements must be short. */
const BATCH = 200;
const FAILURE = 'the upkeep of the fleet failed';
const DAY_MS = 86_400_000;
/** Expired tokens are kept for a day, so that the error message can say that the token has expired. */
const TOKEN_KEPT_MS = DAY_MS;
/**
 * Expired certificates are distinguished from revoked ones for this long, because connections may be older than
 * certificates.
 */
const CERTIFICATE_KEPT_MS = 30 * DAY_MS;

/** Periodic work for the ships of a store. */
export class Upkeep {
  readonly #env: Pick<RunsEnvironment, 'sql' | 'clock' | 'timer' | 'log'>;
  readonly #sessions: Sessions;
  readonly #roster: Roster;
  readonly #loop: Loop;

  constructor(env: Pick<RunsEnvironment, 'sql' | 'clock' | 'timer' | 'log'>, sessions: Sessions, roster: Roster) {
    this.#env = env;
    this.#sessions = sessions;
    this.#roster = roster;
    const { timer, log } = env;
    this.#loop = new Loop({
      name: 'upkeep of the fleet',
      everyMs: INTERVAL_MS,
      waitsFirst: true,
      timer,
      log,
      failure: FAILURE,
    }, () => this.tick());
  }

  start(): void {
    this.#loop.start();
  }

  /** Stops after all signs of life are stored. Safe twice, and before the start. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#attempt(() => this.#writeSeen());
  }

  /** One round. */
  async tick(): Promise<void> {
    await this.#attempt(() => this.#writeSeen());
    await this.#attempt(() => this.#expelGone());
    if (this.#env.sql.peers !== undefined) await this.#attempt(() => this.#followOthers());
    await this.#attempt(() => this.#removeExpired());
  }

  /** Failed work is repeated in the next round. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#env.log.warn({ err: error }, FAILURE);
    }
  }

  async #writeSeen(): Promise<void> {
    const seen = this.#sessions.takeSeen();
    for (let first = 0; first < seen.length; first += BATCH) {
      try {
        await this.#env.sql.transaction((tx) => writeLastSeen(tx, seen.slice(first, first + BATCH)));
      } catch (error) {
        this.#sessions.giveBack(seen.slice(first));
        throw error;
      }
    }
  }

  /** Disconnects ships that another server has revoked or removed, or that a restored store does not know. */
  async #expelGone(): Promise<void> {
    const ids = this.#sessions.connected().map(({ shipId }) => shipId).filter((id) => !id.startsWith('local:'));
    for (let first = 0; first < ids.length; first += BATCH) {
      for (const { id, how } of await listGone(this.#env.sql, ids.slice(first, first + BATCH)))
        this.#sessions.expel(id, how);
    }
  }

  /** Picks up ships that joined at another server, and changes of draining made there. */
  async #followOthers(): Promise<void> {
    const ships = await listShips(this.#env.sql);
    this.#roster.remember(ships);
    for (const { id, drainSession } of ships) {
      if (drainSession === null) this.#sessions.undrain(id);
      else this.#sessions.drain(id);
    }
  }

  async #removeExpired(): Promise<void> {
    const now = this.#env.clock.now();
    const [certificates, tokens] = [now - CERTIFICATE_KEPT_MS, now - TOKEN_KEPT_MS];
    if (!await hasExpired(this.#env.sql, certificates, tokens)) return;
    await this.#env.sql.transaction(async (tx) => {
      await removeExpiredCertificates(tx, certificates, BATCH);
      await removeExpiredTokens(tx, tokens);
    });
  }
}
