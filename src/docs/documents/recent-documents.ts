import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { Lru } from '../../lib/lru.ts';
import type { ChangeFeed } from '../../storage/index.ts';
import type { Identity } from './identity.ts';

/** With bodies of at most so many characters that is 32 MiB at the very most. */
const ENTRIES = 1024;
const LARGEST_BODY = 16 * 1024;

interface Entry {
  readonly document: Document;
  /** The state of the database that it was read from. */
  readonly state: number;
}

/**
 * Documents that were read lately, by the spelling that was asked for. Looking one up in the database
 * takes longer than all the rest of a read. Each commit makes all of them old, which costs one lookup
 * each and cannot leave a wrong one behind; a reader takes `state` before it reads.
 */
export class RecentDocuments {
  readonly #entries = new Lru<string, Entry>(ENTRIES);
  #state = 0;

  constructor(feed: ChangeFeed) {
    // It needs no past changes, so it holds none back from pruning.
    feed.join({ wake: () => void this.#state++, position: () => undefined });
  }

  /** Changes with every commit. */
  get state(): number {
    return this.#state;
  }

  /** The document as it is now; undefined when it has to be looked up. It is shared: do not change it. */
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

/** No identity holds NUL (decision D-30). */
const spelling = ({ id, key }: Identity): string => `${id}\0${key}`;
