import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '../../errors/index.ts';
import type { Standing } from '../../operations/index.ts';
import { type Deps, maxRevisionsOf, transact, type TransactDeps } from './deps.ts';
import { type NewVersion, type PutOutcome, putVersions } from './put-versions.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Maximum number of documents in one transaction; it decides how long the event loop and other nodes wait for it. */
const LIMIT = 256;

interface Put extends PutOutcome {
  /** The time of the transaction, in Unix seconds. */
  readonly now: number;
  /** Number of the last change of the transaction. */
  readonly lsn: number;
}

interface Member {
  readonly version: NewVersion;
  readonly by: Standing | undefined;
  readonly resolve: (put: Put) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Documents that are put by several requests at once share a transaction, which takes about as many statements as that
 * of a single document: round trips to a database on the network, and with SQLite a third of a write's processor time.
 * All that wait when a transaction begins are in it. If it fails for another reason than the database, each of them is
 * put alone, so that only those fail that cannot be stored.
 *
 * It is no `Batcher`, because a batch is chosen only when its transaction begins, which the writer decides, and a
 * permission that has ended sends a document back.
 */
export class SharedWrites {
  readonly #deps: TransactDeps & Pick<Deps, 'collections'>;
  #waiting: Member[] = [];
  /** Whether a transaction is requested that has not begun. */
  #isRequested = false;
  /** Runs what a transaction starts but does not contain: inside, only the transaction itself may be used. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(deps: TransactDeps & Pick<Deps, 'collections'>) {
    this.#deps = deps;
  }

  /** `by`: whose permission is needed when the transaction begins; absent for the service's own work. */
  put(version: NewVersion, by?: Standing): Promise<Put> {
    return new Promise((resolve, reject) => this.#add({ version, by, resolve, reject }));
  }

  #add(member: Member): void {
    this.#waiting.push(member);
    if (!this.#isRequested) void this.#request();
  }

  /** Never rejects. */
  async #request(): Promise<void> {
    this.#isRequested = true;
    let members: Member[] = [];
    let collections: ReadonlySet<string> | undefined;
    try {
      const puts = await transact(this.#deps, async (work) => {
        members = this.#take(work.tx.isShared && collections).filter((member) => this.#isPermitted(member));
        return this.#putAll(work, members);
      }, undefined, () => [...(collections = this.#collections())]);
      for (const [i, { resolve }] of members.entries()) resolve(puts[i]!);
    } catch (error) {
      // It could not begin, so none of those that wait can be put.
      if (members.length === 0) members = this.#take();
      if (members.length === 1 || (error instanceof ServiceError && error.code === 'unavailable')) {
        for (const { reject } of members)
          reject(error);
      } else for (const { version, by, resolve, reject } of members) this.#putAlone(version, by).then(resolve, reject);
    }
  }

  /**
   * If accounts have changed while a document waited, it is put by a later transaction, or its caller is told why not.
   */
  #isPermitted(member: Member): boolean {
    const { by, reject } = member;
    if (by === undefined || by.isPermitted()) return true;
    void this.#outside(() => by.requirePermission().then(() => this.#add(member), reject));
    return false;
  }

  /** Those of the documents that would be taken now. */
  #collections(): Set<string> {
    return new Set(this.#waiting.slice(0, LIMIT).map(({ version }) => version.identity.collection));
  }

  /** `collections`: the only ones that the transaction may write; undefined for all. */
  #take(collections?: ReadonlySet<string>): Member[] {
    const isNext = ({ version }: Member): boolean => collections?.has(version.identity.collection) ?? true;
    const members = this.#waiting.filter(isNext).slice(0, LIMIT);
    const taken = new Set(members);
    this.#waiting = this.#waiting.filter((member) => !taken.has(member));
    this.#isRequested = false;
    if (this.#waiting.length > 0) this.#outside(() => void this.#request());
    return members;
  }

  async #putAlone(version: NewVersion, by: Standing | undefined): Promise<Put> {
    const [put] = await transact(this.#deps, (work) => this.#putAll(work, [{ version }]), by,
      () => [version.identity.collection]);
    return put!;
  }

  async #putAll(work: UnitOfWork, members: readonly Pick<Member, 'version'>[]): Promise<Put[]> {
    const outcomes = new Map<NewVersion, PutOutcome>();
    const groups = [...Map.groupBy(members, ({ version }) => version.identity.collection)];
    for (const group of groups) {
      const [collection, some] = group;
      const versions = some.map(({ version }) => version);
      const put = await putVersions(work, versions, maxRevisionsOf(this.#deps, collection), group === groups.at(-1));
      for (const [i, version] of versions.entries()) outcomes.set(version, put[i]!);
    }
    const lsn = await work.feed.append(work.tx, []);
    return members.map(({ version }) => ({ ...outcomes.get(version)!, now: work.now, lsn }));
  }
}
