import { randomUUID } from 'node:crypto';
import { inList, type Peers, type Sql, type Transaction } from '../../../storage/index.ts';

/** Who may write the checkpoint of which index, by names such as `fts/articles`. */
export interface Claims {
  /** This process, in manifests. */
  readonly node: string;
  /**
   * Takes those of the names that no other live process has, and those in `overdue` from any; returns the epoch of each
   * that this process has now.
   */
  claim(names: readonly string[], overdue: ReadonlySet<string>): Promise<ReadonlyMap<string, number>>;
  /** Replaces the epoch of a name by a higher one; false if another process has taken the name. */
  raise(name: string, from: number, to: number): Promise<boolean>;
  /** Leaves names to other processes, for indexes that are not here any more; names of others are ignored. */
  release(names: readonly string[]): Promise<void>;
  /** Removes what is known of names, for collections that are gone; names of others are ignored. */
  forget(names: readonly string[]): Promise<void>;
}

/** The claims of the only process that writes a database. */
export function soleClaims(): Claims {
  const epochs = new Map<string, number>();
  return {
    node: randomUUID(),
    claim: async (names) => new Map(names.map((name) => [name, epochs.get(name) ?? 1])),
    async raise(name, _from, to) {
      epochs.set(name, to);
      return true;
    },
    async release() {},
    async forget() {},
  };
}

/** Number of names in one transaction. */
const AT_ONCE = 200;

interface Owner {
  readonly [column: string]: string | number;
  readonly name: string;
  readonly node: string;
  readonly epoch: number;
}

/**
 * The claims of one of several nodes, as rows of `checkpoint_owners`. The claim of a node that is gone, which `Peers`
 * knows, is taken by the next one that wants it, with a higher epoch. A node that was cut off may believe for a while
 * that it still has its claims: what it writes meanwhile has a lower epoch, and does not count.
 */
export class NodeClaims implements Claims {
  readonly node = randomUUID();
  readonly #sql: Sql;
  readonly #peers: Pick<Peers, 'claim' | 'isClaimed'>;
  #present: Promise<unknown> | undefined;

  constructor(sql: Sql, peers: Pick<Peers, 'claim' | 'isClaimed'>) {
    this.#sql = sql;
    this.#peers = peers;
  }

  async claim(names: readonly string[], overdue: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    await this.#appear();
    const owned = new Map<string, number>();
    const alive = new Map<string, boolean>([[this.node, true]]);
    for (let i = 0; i < names.length; i += AT_ONCE) {
      const some = names.slice(i, i + AT_ONCE);
      const owners = new Map((await this.#owners(some)).map((owner) => [owner.name, owner]));
      for (const { node } of owners.values())
        if (!alive.has(node)) alive.set(node, await this.#peers.isClaimed(presenceOf(node)));
      const wanted: { name: string; owner: Owner | undefined }[] = [];
      for (const name of some) {
        const owner = owners.get(name);
        if (owner?.node === this.node) owned.set(name, owner.epoch);
        else if (owner === undefined || alive.get(owner.node) !== true || overdue.has(name))
          wanted.push({ name, owner });
      }
      for (const [name, epoch] of await this.#take(wanted)) owned.set(name, epoch);
    }
    return owned;
  }

  raise(name: string, from: number, to: number): Promise<boolean> {
    return this.#sql.transaction(async (tx) => {
      const { changes } = await tx.run(
        'UPDATE checkpoint_owners SET epoch = ? WHERE name = ? AND node = ? AND epoch = ?',
        [to, name, this.node, from],
      );
      return changes === 1;
    });
  }

  release(names: readonly string[]): Promise<void> {
    return this.#change("UPDATE checkpoint_owners SET node = ''", names);
  }

  forget(names: readonly string[]): Promise<void> {
    return this.#change('DELETE FROM checkpoint_owners', names);
  }

  async #change(statement: string, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.#sql.transaction(async (tx) => {
      for (let i = 0; i < names.length; i += AT_ONCE) {
        const { marks, params } = inList(names.slice(i, i + AT_ONCE));
        await tx.run(`${statement} WHERE node = ? AND name IN (${marks})`, [this.node, ...params]);
      }
    });
  }

  /** Shows that this node is alive, for as long as it has the database open. */
  async #appear(): Promise<void> {
    this.#present ??= this.#peers.claim(presenceOf(this.node));
    try {
      await this.#present;
    } catch (error) {
      this.#present = undefined;
      throw error;
    }
  }

  #owners(names: readonly string[]): Promise<Owner[]> {
    const { marks, params } = inList(names);
    return this.#sql.all<Owner>(`SELECT name, node, epoch FROM checkpoint_owners WHERE name IN (${marks})`, params);
  }

  /** Those of the names that nobody else took meanwhile, with their epochs. */
  async #take(wanted: readonly { readonly name: string; readonly owner: Owner | undefined }[]): Promise<
    ReadonlyMap<string, number>
  > {
    if (wanted.length === 0) return new Map();
    return this.#sql.transaction(async (tx) => {
      const taken = new Map<string, number>();
      for (const { name, owner } of wanted) {
        const epoch = (owner?.epoch ?? 0) + 1;
        if (await takeOne(tx, name, this.node, owner)) taken.set(name, epoch);
      }
      return taken;
    });
  }
}

async function takeOne(tx: Transaction, name: string, node: string, owner: Owner | undefined): Promise<boolean> {
  const { changes } = owner === undefined
    ? await tx.run('INSERT INTO checkpoint_owners(name, node, epoch) VALUES (?, ?, 1) ON CONFLICT(name) DO NOTHING', [
      name,
      node,
    ])
    : await tx.run('UPDATE checkpoint_owners SET node = ?, epoch = epoch + 1 WHERE name = ? AND node = ? AND epoch = ?',
      [node, name, owner.node, owner.epoch]);
  return changes === 1;
}

const presenceOf = (node: string): string => `checkpoints of ${node}`;
