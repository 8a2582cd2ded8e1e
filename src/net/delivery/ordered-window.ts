/** A delivery, and its constraints on order. */
export interface Sequenced {
  /** Its number in the log, which is greater than the numbers of all earlier deliveries. */
  readonly seq: number;
  /**
   * The group that a barrier divides: no later delivery of the group overtakes the barrier, and the barrier overtakes
   * no earlier one.
   */
  readonly group: string;
  /**
   * Deliveries with the same key keep their order; those with different keys may overtake each other. Absent for a
   * barrier.
   */
  readonly key?: string;
}

interface Node<T> {
  readonly item: T;
  /** Number of predecessors that are not done. */
  waitsFor: number;
  readonly followers: Node<T>[];
}

interface Group<T> {
  /** The latest unfinished delivery of each key since the barrier. */
  readonly tails: Map<string, Node<T>>;
  barrier?: Node<T> | undefined;
}

/** The unfinished deliveries of one lane, and which of them may be sent now. */
export class OrderedWindow<T extends Sequenced> {
  /** By number, in ascending order. */
  readonly #nodes = new Map<number, Node<T>>();
  readonly #groups = new Map<string, Group<T>>();

  get size(): number {
    return this.#nodes.size;
  }

  has(seq: number): boolean {
    return this.#nodes.has(seq);
  }

  /** Numbers of unfinished deliveries, in ascending order. */
  seqs(): number[] {
    return [...this.#nodes.keys()];
  }

  /** Unfinished deliveries, oldest first. */
  *items(): IterableIterator<T> {
    for (const { item } of this.#nodes.values()) yield item;
  }

  /** Adds a delivery; returns whether it may be sent at once. Numbers must increase. */
  add(item: T): boolean {
    const node: Node<T> = { item, waitsFor: 0, followers: [] };
    this.#nodes.set(item.seq, node);
    const group = this.#groupOf(item.group);
    if (item.key === undefined) {
      for (const tail of group.tails.size > 0 ? group.tails.values() : present(group.barrier)) follow(tail, node);
      group.tails.clear();
      group.barrier = node;
    } else {
      for (const before of present(group.tails.get(item.key) ?? group.barrier)) follow(before, node);
      group.tails.set(item.key, node);
    }
    return node.waitsFor === 0;
  }

  /**
   * Marks a delivery as done and returns those that may be sent now; returns none if the delivery is not in the window.
   */
  done(seq: number): T[] {
    const node = this.#nodes.get(seq);
    if (node === undefined) return [];
    this.#nodes.delete(seq);
    this.#leave(node);
    return node.followers.filter((each) => --each.waitsFor === 0).map(({ item }) => item);
  }

  #leave(node: Node<T>): void {
    const { group: name, key } = node.item;
    const group = this.#groupOf(name);
    if (group.barrier === node) group.barrier = undefined;
    if (key !== undefined && group.tails.get(key) === node) group.tails.delete(key);
    if (group.barrier === undefined && group.tails.size === 0) this.#groups.delete(name);
  }

  #groupOf(name: string): Group<T> {
    const group = this.#groups.get(name) ?? { tails: new Map<string, Node<T>>() };
    this.#groups.set(name, group);
    return group;
  }
}

function present<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}

function follow<T>(before: Node<T>, node: Node<T>): void {
  before.followers.push(node);
  node.waitsFor++;
}
