import type { DocsEnvironment } from './environment.ts';

/** What is kept in memory of the tables, and read again when another process has changed them. */
export interface Following {
  /** By the beginning of the kinds of changes that concern it, up to the dot. */
  readonly areas: Readonly<Record<string, () => Promise<void>>>;
  /** Those whose rows this process keeps in memory though a process that only reads does not. */
  readonly kept?: ReadonlySet<string>;
  /** What concerns all other kinds. */
  readonly others: () => Promise<void>;
  /** After the database was replaced. */
  readonly everything: () => Promise<void>;
}

/** Kinds whose rows nobody keeps in memory but the views, which follow the feed by themselves. */
const OF_VIEWS: ReadonlySet<string> = new Set(['doc', 'vectors', 'encryption', 'revisions', 'memory', 'ops', 'security', 'webhook', 'automation']);

const REPLACED: ReadonlySet<string> = new Set(['feed', 'database']);

/**
 * Keeps a process that only reads at the state of the tables. Every change of users, rights and configurations is in the change feed, so
 * a process that asks for the head before each request never answers from rights or settings that were replaced by an acknowledged
 * change, even when it was stopped meanwhile.
 */
export class Follower {
  readonly #env: Pick<DocsEnvironment, 'sql' | 'feed'>;
  readonly #following: Following;
  #applied = 0;
  #applying: Promise<void> | undefined;

  constructor(env: Pick<DocsEnvironment, 'sql' | 'feed'>, following: Following) {
    this.#env = env;
    this.#following = following;
  }

  /** Notes where the feed stands; to be called before anything is read into memory. */
  async begin(): Promise<void> {
    this.#applied = await this.#env.feed.head();
  }

  /** Resolves once what was committed before the call is taken over. Rejects when it cannot be read. */
  async refresh(): Promise<void> {
    const head = await this.#env.feed.head();
    while (this.#applied < head) await (this.#applying ??= this.#apply().finally(() => (this.#applying = undefined)));
  }

  async #apply(): Promise<void> {
    const { sql, feed } = this.#env;
    // Not as a reader: it wakes those who follow the feed, and what they begin then may write.
    const head = await feed.head();
    // What this process has written is in its memory already.
    if (feed.hasForeign(this.#applied, head)) await (sql.asReader?.(() => this.#takeOver()) ?? this.#takeOver());
    this.#applied = head;
  }

  async #takeOver(): Promise<void> {
    const areas = await this.#changedAreas();
    const { everything } = this.#following;
    if (areas.some((area) => REPLACED.has(area))) await everything();
    else for (const load of new Set(areas.map((area) => this.#loadOf(area)))) await load?.();
  }

  #loadOf(area: string): (() => Promise<void>) | undefined {
    const { kept } = this.#following;
    return OF_VIEWS.has(area) && kept?.has(area) !== true ? undefined : this.#following.areas[area] ?? this.#following.others;
  }

  /** Those of what is not there any more are not known, so that all is read again. */
  async #changedAreas(): Promise<string[]> {
    const { sql, feed } = this.#env;
    const rows = await sql.all<{ kind: string }>("SELECT DISTINCT kind FROM changes WHERE lsn > ? AND kind NOT IN ('doc.put', 'doc.delete', 'vectors.put')", [this.#applied]);
    const areas = [...new Set(rows.map(({ kind }) => kind.slice(0, kind.indexOf('.'))))];
    const isPruned = (await feed.oldest()) > this.#applied + 1;
    return isPruned && !areas.some((area) => REPLACED.has(area)) ? ['', ...Object.keys(this.#following.areas)] : areas;
  }
}
