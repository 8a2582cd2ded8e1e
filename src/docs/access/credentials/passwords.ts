import bcrypt from 'bcrypt';
import { type Party, Places } from './places.ts';

/** Contract section 5, rule 6. */
export const PASSWORD_COST = 12;

/**
 * Maximum length of a password in bytes: bcrypt ignores further bytes, and would treat passwords with the same
 * beginning as equal.
 */
export const MAX_PASSWORD_BYTES = 72;

/** Half of the thread pool's four threads: files are read on it too, and many sign-in attempts must not block that. */
const PLACES = { atOnce: 2, waiting: 100, perAddress: 16, perName: 4 };

/** Number of characters of a hash after its salt. */
const HASH_LENGTH = 31;

/** Password hashes, computed and compared outside of the event loop. */
export class Passwords {
  readonly #cost: number;
  /** A hash that matches no password; comparing with it takes as long as with any other. */
  readonly #decoy: string;
  readonly #places = new Places(PLACES);

  /** `cost`: binary logarithm of the rounds; tests use fewer. */
  constructor(cost = PASSWORD_COST) {
    this.#cost = cost;
    this.#decoy = bcrypt.genSaltSync(cost) + '.'.repeat(HASH_LENGTH);
  }

  /** A hash that matches no password, for users who sign in elsewhere. */
  unusable(): string {
    return this.#decoy;
  }

  hash(password: string): Promise<string> {
    return this.#places.run(() => bcrypt.hash(password, this.#cost));
  }

  /**
   * Without a hash it does the same work and returns false, so that response times do not show which users exist.
   * Rejects with `rate_limited` if the party has reached its limit of running checks, and with `busy` if the queue is
   * full.
   */
  matches(password: string, hash: string | undefined, party?: Party): Promise<boolean> {
    return this.#places.run(async () => (await bcrypt.compare(password, hash ?? this.#decoy)) && hash !== undefined,
      party);
  }
}
