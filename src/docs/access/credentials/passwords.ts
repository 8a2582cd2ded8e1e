import bcrypt from 'bcrypt';
import { ServiceError } from '../../../errors/index.ts';

/** Contract section 5, rule 6. */
export const PASSWORD_COST = 12;

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

/** The source of a piece of work. */
interface Party {
  /** The network address; all addresses have the same share. */
  readonly address: string;
  /** The user name, within an address. */
  readonly name: string;
}

interface PlacesOptions {
  /** Number of pieces of work that run at once. */
  readonly atOnce: number;
  /** Number of pieces of work that may wait, of all parties together. */
  readonly waiting: number;
  /** Number of pieces of work that may run or wait for one address, and for one name within an address. */
  readonly perAddress: number;
  readonly perName: number;
}

interface Job {
  readonly party: Party;
  readonly begin: () => void;
  readonly refuse: (error: ServiceError) => void;
}

/** Seconds after which another attempt makes sense. */
const RETRY_AFTER = '1';

/**
 * Limits how many pieces of work run at once. Waiting work is taken from each address in turn, and within an address
 * from each name in turn, so that a client that sends many requests delays only itself. A party that exceeds its own
 * share is refused with `rate_limited`. When all parties together have filled the queue, the newest job of the address
 * with the most jobs is removed.
 */
export class Places {
  readonly #options: PlacesOptions;
  readonly #queue = new Turns();
  /** Number of pieces of work that run or wait, by address and by name within it. */
  readonly #counts = new Map<string, number>();
  #free: number;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#free = options.atOnce;
  }

  /** Without a party there is no limit; that is for the work of the server and of administrators. */
  async run<T>(work: () => Promise<T>, party?: Party): Promise<T> {
    const keys = party === undefined ? [] : keysOf(party);
    if (party !== undefined) this.#requireShare(keys);
    for (const key of keys) this.#counts.set(key, this.#countOf(key) + 1);
    try {
      await this.#take(party ?? { address: '', name: '' });
      try {
        return await work();
      } finally {
        this.#leave();
      }
    } finally {
      for (const key of keys) this.#discount(key);
    }
  }

  #requireShare([address = '', name = '']: readonly string[]): void {
    const { perAddress, perName } = this.#options;
    if (this.#countOf(name) >= perName) throw tooMany(`${perName} sign-ins with this name`);
    if (this.#countOf(address) >= perAddress) throw tooMany(`${perAddress} sign-ins`);
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #discount(key: string): void {
    const left = this.#countOf(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }

  #take(party: Party): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise<void>((resolve, reject) => {
      if (this.#queue.size >= this.#options.waiting && !this.#makeRoom(party)) reject(busy());
      else this.#queue.add({ party, begin: resolve, refuse: reject });
    });
  }

  /** Returns false if the newcomer's own address has the most jobs already. */
  #makeRoom({ address }: Party): boolean {
    const fullest = this.#queue.fullest();
    if (this.#queue.sizeOf(fullest) <= this.#queue.sizeOf(address) + 1) return false;
    this.#queue.removeNewest(fullest)?.refuse(tooMany('most of the sign-ins'));
    return true;
  }

  /** A free place is passed directly to the next job, so that no other job can take it in between. */
  #leave(): void {
    const next = this.#queue.next();
    if (next === undefined) this.#free += 1;
    else next.begin();
  }
}

/** Waiting jobs, by address and name. Maps keep the order of insertion: after its turn, an entry moves to the end. */
class Turns {
  readonly #addresses = new Map<string, Map<string, Job[]>>();
  size = 0;

  add(job: Job): void {
    const { address, name } = job.party;
    const names = this.#addresses.get(address) ?? new Map<string, Job[]>();
    names.set(name, [...(names.get(name) ?? []), job]);
    this.#addresses.set(address, names);
    this.size += 1;
  }

  next(): Job | undefined {
    const [address, names] = this.#addresses.entries().next().value ?? [];
    if (address === undefined || names === undefined) return undefined;
    const [name, jobs] = names.entries().next().value!;
    const [job, ...rest] = jobs;
    names.delete(name);
    if (rest.length > 0) names.set(name, rest);
    this.#addresses.delete(address);
    if (names.size > 0) this.#addresses.set(address, names);
    this.size -= 1;
    return job;
  }

  sizeOf(address: string): number {
    return [...(this.#addresses.get(address)?.values() ?? [])].reduce((sum, jobs) => sum + jobs.length, 0);
  }

  fullest(): string {
    return [...this.#addresses.keys()].reduce((most,
      address) => (this.sizeOf(address) > this.sizeOf(most) ? address : most)
    );
  }

  removeNewest(address: string): Job | undefined {
    const names = this.#addresses.get(address);
    const [name, jobs] = [...(names ?? [])].at(-1) ?? [];
    if (names === undefined || name === undefined || jobs === undefined) return undefined;
    if (jobs.length > 1) names.set(name, jobs.slice(0, -1));
    else names.delete(name);
    if (names.size === 0) this.#addresses.delete(address);
    this.size -= 1;
    return jobs.at(-1);
  }
}

function keysOf({ address, name }: Party): [string, string] {
  return [`address ${address}`, `name ${address} ${name}`];
}

function tooMany(what: string): ServiceError {
  return new ServiceError('rate_limited',
    `${what} from your address are being checked already; try again in ${RETRY_AFTER} s`, {
    headers: { 'Retry-After': RETRY_AFTER },
  });
}

function busy(): ServiceError {
  return new ServiceError('busy', 'too many passwords are being checked; try again later', {
    headers: { 'Retry-After': RETRY_AFTER },
  });
}
