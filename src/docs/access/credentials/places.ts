import { ServiceError } from '../../../errors/index.ts';

/** For whom a piece of work is done. */
export interface Party {
  /** Where it comes from: shares are the same for each. */
  readonly address: string;
  /** What it is about, within an address. */
  readonly name: string;
}

export interface PlacesOptions {
  /** Pieces of work that run at once. */
  readonly atOnce: number;
  /** Pieces of work that may wait, of all parties together. */
  readonly waiting: number;
  /** Pieces of work of one address, and of one name within an address, that may run or wait. */
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
 * Lets so many pieces of work run at once. What waits is taken from each address in turn, and within an address from
 * each name in turn, so that whoever sends many waits for themselves. Beyond its own share a party is refused with
 * `rate_limited`; when all have filled the queue together, the newest of the address that has most gives way.
 */
export class Places {
  readonly #options: PlacesOptions;
  readonly #queue = new Turns();
  /** Pieces of work that run or wait, by address and by name within it. */
  readonly #counts = new Map<string, number>();
  #free: number;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#free = options.atOnce;
  }

  /** Without a party, which is for the server's own work and that of administrators, there is no share to keep within. */
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

  /** False where the newcomer's own address has most already. */
  #makeRoom({ address }: Party): boolean {
    const fullest = this.#queue.fullest();
    if (this.#queue.sizeOf(fullest) <= this.#queue.sizeOf(address) + 1) return false;
    this.#queue.removeNewest(fullest)?.refuse(tooMany('most of the sign-ins'));
    return true;
  }

  /** A place goes straight to the next, so that nobody can take it in between. */
  #leave(): void {
    const next = this.#queue.next();
    if (next === undefined) this.#free += 1;
    else next.begin();
  }
}

/** What waits, by address and name. Maps keep the order of insertion: whoever had a turn is put at the end. */
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
    return [...this.#addresses.keys()].reduce((most, address) => (this.sizeOf(address) > this.sizeOf(most) ? address : most));
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
  return new ServiceError('rate_limited', `${what} from your address are being checked already; try again in ${RETRY_AFTER} s`, { headers: { 'Retry-After': RETRY_AFTER } });
}

function busy(): ServiceError {
  return new ServiceError('busy', 'too many passwords are being checked; try again later', { headers: { 'Retry-After': RETRY_AFTER } });
}
