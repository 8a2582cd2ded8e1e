import type { Queries } from '../storage/index.ts';
import type { DocsEnvironment } from './environment.ts';

/** Data of the tables that are in memory, and are read again when another process has changed them. */
interface Following {
  /** Functions that load an area, by the prefix (up to the dot) of the kinds of its changes. */
  readonly areas: Readonly<Record<string, () => Promise<void>>>;
  /** Called for changes of all other kinds. */
  readonly others: () => Promise<void>;
  /** Called after the database was replaced. */
  readonly everything: () => Promise<void>;
  /** Called when the database has lost changes, after `others`. */
  readonly rewound?: () => Promise<void>;
}

/** Kinds of changes whose rows are in memory only in views, which follow the feed themselves. */
const OF_VIEWS: ReadonlySet<string> = new Set(['doc', 'vectors', 'encryption', 'revisions', 'memory', 'ops',
  'security']);

const REPLACED: ReadonlySet<string> = new Set(['feed', 'database']);

/**
 * Keeps the memory of a process up to date with tables that other processes change. Every change of users, rights and
 * configurations is in the change feed. A process that reads the head of the feed before each request therefore never
 * uses rights or settings that an acknowledged change has replaced, even if the process was stopped meanwhile.
 */
export class Follower {
  readonly #env: Pick<DocsEnvironment, 'sql' | 'feed'>;
  readonly #following: Following;
  #applied = 0;
  #history = 0;
  #applying: Promise<void> | undefined;

  constructor(env: Pick<DocsEnvironment, 'sql' | 'feed'>, following: Following) {
    this.#env = env;
    this.#following = following;
  }

  /** Stores the position of the feed; call this before anything is read into memory. */
  async begin(): Promise<void> {
    this.#applied = await this.#env.feed.head();
  }

  /**
   * Resolves when everything that was committed before the call is loaded. Rejects when it cannot be read. `queries`:
   * the connection by which the head is read, see `ChangeFeed.head`.
   */
  async refresh(queries?: Queries): Promise<void> {
    const { feed } = this.#env;
    const head = await feed.head(queries);
    if (this.#applying === undefined && this.#history === feed.history && head > this.#applied &&
      !feed.hasForeign(this.#applied, head)) this.#applied = head;
    while (this.#applied < head || this.#history !== feed.history)
      await (this.#applying ??= this.#apply().finally(() => (this.#applying = undefined)));
  }

  async #apply(): Promise<void> {
    const { sql, feed } = this.#env;
    // Outside of `asReader`: reading the head wakes subscribers of the feed, and their work may write.
    const head = await feed.head();
    const { history } = feed;
    const isRewound = history !== this.#history;
    const takeOver = (): Promise<void> => (isRewound ? this.#following.others() : this.#takeOver());
    // The writes of this process are in its memory already.
    if (isRewound || feed.hasForeign(this.#applied, head)) await (sql.asReader?.(takeOver) ?? takeOver());
    if (isRewound) await this.#following.rewound?.();
    this.#applied = head;
    this.#history = history;
  }

  async #takeOver(): Promise<void> {
    const areas = await this.#changedAreas();
    const { everything } = this.#following;
    if (areas.some((area) => REPLACED.has(area))) await everything();
    else for (const load of new Set(areas.map((area) => this.#loadOf(area)))) await load?.();
  }

  #loadOf(area: string): (() => Promise<void>) | undefined {
    return OF_VIEWS.has(area) ? undefined : this.#following.areas[area] ?? this.#following.others;
  }

  /** Pruned changes have unknown areas, so in that case all areas are loaded again. */
  async #changedAreas(): Promise<string[]> {
    const { sql, feed } = this.#env;
    const rows = await sql.all<{ kind: string }>(
      "SELECT DISTINCT kind FROM changes WHERE lsn > ? AND kind NOT IN ('doc.put', 'doc.delete', 'vectors.put')",
      [this.#applied],
    );
    const areas = [...new Set(rows.map(({ kind }) => kind.slice(0, kind.indexOf('.'))))];
    const isPruned = (await feed.oldest()) > this.#applied + 1;
    return isPruned && !areas.some((area) => REPLACED.has(area)) ? ['', ...Object.keys(this.#following.areas)] : areas;
  }
}
