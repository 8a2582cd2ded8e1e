import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { ReturningLru } from '../../lib/returning-lru.ts';
import type { ChangeFeed } from '../../storage/index.ts';
import type { Identity } from './identity.ts';

/** Documents with more characters than this, their metadata included, are not kept. */
const LARGEST = 16 * 1024;

/** Documents that were read once; they take at most 16 MiB. */
const READ_ONCE = 512;

/** Names of such documents that left: one that is read again is kept. */
const NAMES = 32 * 1024;

/** Bytes of memory for documents that were read more often. */
const READ_AGAIN_BYTES = 32 * 2 ** 20;

/** Bytes of a document in memory, without its texts. */
const FIXED_BYTES = 1024;

interface Entry {
  readonly document: Document;
  /** The state of the database from which the document was read. */
  readonly state: number;
  readonly bytes: number;
}

/**
 * Documents that were read recently, by the requested spelling. A lookup in the database takes a fifth of the time of a
 * read. Each commit makes all entries stale; each then costs one lookup, and no stale document can be returned. A
 * reader takes `state` before it reads.
 */
export class RecentDocuments {
  readonly #entries = new ReturningLru<string, Entry>({
    recent: READ_ONCE,
    keys: NAMES,
    returned: READ_AGAIN_BYTES,
    sizeOf: ({ bytes }) => bytes,
  });
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

  /** `metaLength`: characters of the metadata as JSON. */
  set(identity: Identity, document: Document, metaLength: number, state: number): void {
    const { length } = document.contentMd;
    if (length + metaLength <= LARGEST)
      this.#entries.set(spelling(identity), { document, state, bytes: FIXED_BYTES + 2 * (length + metaLength) });
  }
}

/** No identity contains NUL: control characters are refused. */
const spelling = ({ id, key }: Identity): string => `${id}\0${key}`;
