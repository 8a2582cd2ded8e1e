import bcrypt from 'bcrypt';
import { Places, type Party } from './places.ts';

/** Contract section 5, rule 6. */
export const PASSWORD_COST = 12;

/** Longest password: bcrypt looks at no more, and would take all that begin alike for the same. */
export const MAX_PASSWORD_BYTES = 72;

/**
 * Half of the thread pool's four threads: files are read on it too, and whoever tries passwords must not be able
 * to stop that.
 */
const PLACES = { atOnce: 2, waiting: 100, perAddress: 16, perName: 4 };

/** Characters of a hash behind its salt. */
const HASH_LENGTH = 31;

/** Hashes of passwords, made and compared away from the event loop. */
export class Passwords {
  readonly #cost: number;
  /** A hash that no password has, which takes as long to find out as with any other. */
  readonly #decoy: string;
  readonly #places = new Places(PLACES);

  /** `cost`: binary logarithm of the rounds; tests use fewer. */
  constructor(cost = PASSWORD_COST) {
    this.#cost = cost;
    this.#decoy = bcrypt.genSaltSync(cost) + '.'.repeat(HASH_LENGTH);
  }

  /** A hash that no password has, for users who sign in elsewhere. */
  unusable(): string {
    return this.#decoy;
  }

  hash(password: string): Promise<string> {
    return this.#places.run(() => bcrypt.hash(password, this.#cost));
  }

  /**
   * Without a hash it does the same work, and answers false: nobody can measure who exists. Rejects with `rate_limited`
   * where the party has its share of checks under way, and with `busy` where there is no room for anybody.
   */
  matches(password: string, hash: string | undefined, party?: Party): Promise<boolean> {
    return this.#places.run(async () => (await bcrypt.compare(password, hash ?? this.#decoy)) && hash !== undefined, party);
  }
}
