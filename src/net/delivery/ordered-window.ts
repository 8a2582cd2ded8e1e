/** Something to deliver, and what it must not overtake. */
export interface Sequenced {
  /** Its number in the log that it comes from; greater than those of all before it. */
  readonly seq: number;
  /** What a barrier divides: nothing of the group behind the barrier overtakes it, and it overtakes nothing of the group. */
  readonly group: string;
  /** Deliveries with the same key keep their order; those of different keys may overtake each other. Absent for a barrier. */
  readonly key?: string;
}

interface Node<T> {
  readonly item: T;
  /** Predecessors that are not done. */
  waitsFor: number;
  readonly followers: Node<T>[];
}

interface Group<T> {
  /** The latest delivery of each key since the barrier that is not done. */
  readonly tails: Map<string, Node<T>>;
  barrier?: Node<T> | undefined;
}

/** The deliveries of one lane that are not done, and which of them may be sent now. */
export class OrderedWindow<T extends Sequenced> {
  /** By number, ascending. */
  readonly #nodes = new Map<number, Node<T>>();
  readonly #groups = new Map<string, Group<T>>();

  get size(): number {
    return this.#nodes.size;
  }

  has(seq: number): boolean {
    return this.#nodes.has(seq);
  }

  /** Numbers of what is not done, ascending. */
  seqs(): number[] {
    return [...this.#nodes.keys()];
  }

  /** What is not done, oldest first. */
  *items(): IterableIterator<T> {
    for (const { item } of this.#nodes.values()) yield item;
  }

  /** Tells whether it may be sent at once. Numbers must rise. */
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

  /** Returns what may be sent now that this is done; nothing for what is not here. */
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
