import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { Lru } from '../../lib/lru.ts';
import type { ChangeFeed } from '../../storage/index.ts';
import type { Identity } from './identity.ts';

/** With bodies of at most `LARGEST_BODY` characters this limits the memory to 32 MiB. */
const ENTRIES = 1024;
const LARGEST_BODY = 16 * 1024;

interface Entry {
  readonly document: Document;
  /** The state of the database from which the document was read. */
  readonly state: number;
}

/**
 * Documents that were read recently, by the requested spelling. A lookup in the database takes longer than all the rest of a read. Each
 * commit makes all entries stale; each then costs one lookup, and no stale document can be returned. A reader takes `state` before it reads.
 */
export class RecentDocuments {
  readonly #entries = new Lru<string, Entry>(ENTRIES);
  #state = 0;

  constructor(feed: ChangeFeed) {
    // It needs no past changes, so it does not hold back pruning.
    feed.join({ wake: () => void this.#state++, position: () => undefined });
  }

  /** Changes with every commit. */
  get state(): number {
    return this.#state;
  }

  /** The document in its current state; undefined when it must be looked up. The object is shared: do not change it. */
  get(identity: Identity, now: number): Document | undefined {
    const entry = this.#entries.get(spelling(identity));
    if (entry === undefined || entry.state !== this.#state) return undefined;
    return entry.document.expiresAt === undefined || entry.document.expiresAt > now ? entry.document : undefined;
  }

  clear(): void {
    this.#state++;
    this.#entries.clear();
  }

  set(identity: Identity, document: Document, state: number): void {
    if (document.contentMd.length <= LARGEST_BODY) this.#entries.set(spelling(identity), { document, state });
  }
}

/** No identity contains NUL (decision D-30). */
const spelling = ({ id, key }: Identity): string => `${id}\0${key}`;
