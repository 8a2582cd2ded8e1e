/** A word of a dictionary near another one. */
export interface Candidate {
  readonly word: string;
  readonly edits: number;
  readonly frequency: number;
}

/** Greatest edit distance, and the number of first letters whose deletions are listed (decisions section 4.10). */
const MAX_EDITS = 2;
const PREFIX = 7;
/** Maximum length of a word in UTF-16 units. */
const MAX_WORD = 40;

const FNV = 0x01000193;
const SEED = 0x811c9dc5;
const FIRST = 1024;

/**
 * A dictionary that finds the words within two edits of a word by deletion neighbourhoods (Garbe, "SymSpell", 2012):
 * two words can be that near only if they become the same by at most two deletions from each. All deletions of the
 * first seven letters are listed by their hashes, in typed arrays:
 *
 * words text (UTF-16 of all, one after the other), where each begins, frequency, round in which it was last seen
 *     slots      hash table of words: number + 1, 0 for none
 *     deletions  heads (by hash, the last deletion + 1), next of each, number of its word, 8 more bits of its hash
 *
 * A removed word has the frequency 0 and is not found; its entry is kept and used again if it is added again.
 */
export class SpellingIndex {
  #words = 0;
  #text = new Uint16Array(FIRST * 8);
  #starts = new Uint32Array(FIRST + 1);
  #frequencies = new Uint32Array(FIRST);
  #rounds = new Uint32Array(FIRST);
  #looked = new Uint32Array(FIRST);
  #slots = new Uint32Array(FIRST * 2);
  #deletions = 0;
  #heads = new Uint32Array(FIRST * 16);
  #next = new Uint32Array(FIRST * 16);
  #wordOf = new Uint32Array(FIRST * 16);
  #tags = new Uint8Array(FIRST * 16);
  #round = 0;
  #look = 0;
  /** The hashes of the deletions of one word: first those of up to one letter. */
  readonly #hashes = new Uint32Array(1 + PREFIX + (PREFIX * (PREFIX - 1)) / 2);
  readonly #units = new Uint16Array(MAX_WORD);

  /** Number of words, including those with frequency 0. */
  get words(): number {
    return this.#words;
  }

  /** Memory in bytes. */
  get bytes(): number {
    const arrays = [this.#text, this.#starts, this.#frequencies, this.#rounds, this.#looked, this.#slots, this.#heads,
      this.#next, this.#wordOf, this.#tags];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Adds a word, or changes its frequency. Empty and too long words are ignored. */
  put(word: string, frequency: number): void {
    const length = this.#read(word);
    if (length === 0) return;
    const slot = this.#slotOf(length);
    const known = this.#slots[slot]!;
    const number = known === 0 ? this.#add(length, slot) : known - 1;
    this.#frequencies[number] = frequency;
    this.#rounds[number] = this.#round;
  }

  /** The frequency of a word; 0 for an unknown one. */
  frequencyOf(word: string): number {
    const length = this.#read(word);
    const known = length === 0 ? 0 : this.#slots[this.#slotOf(length)]!;
    return known === 0 ? 0 : this.#frequencies[known - 1]!;
  }

  /** Starts a round in which all words are added again. */
  beginRound(): void {
    this.#round += 1;
  }

  /** Removes the words that were not added since `beginRound`. */
  endRound(): void {
    for (let i = 0; i < this.#words; i++) if (this.#rounds[i] !== this.#round) this.#frequencies[i] = 0;
  }

  /**
   * The words within `edits` of a word, except the word itself: the nearest first; equally near ones by frequency, then
   * those with the same first letter. Words at two edits are searched only if fewer than `limit` are nearer.
   */
  near(word: string, { edits = MAX_EDITS, limit }: { readonly edits?: 1 | 2; readonly limit: number }): Candidate[] {
    const length = this.#read(word);
    if (length === 0) return [];
    const singles = this.#hashDeletions(this.#units, 0, length);
    const hashes = this.#hashes.slice(0, this.#count);
    const near = this.#collect(hashes.subarray(0, singles), length, 1);
    const all = near.length >= limit || edits === 1 ? near : this.#collect(hashes, length, 2);
    const first = word[0];
    const found = all.map(({ number, distance }) => ({
      word: this.#wordAt(number),
      edits: distance,
      frequency: this.#frequencies[number]!,
    }));
    return found.sort((a, b) =>
      a.edits - b.edits || b.frequency - a.frequency || Number(b.word[0] === first) - Number(a.word[0] === first) ||
      (a.word < b.word ? -1 : 1)
    ).slice(0, limit);
  }

  #collect(hashes: Uint32Array, length: number, most: 1 | 2): { number: number; distance: number }[] {
    const found: { number: number; distance: number }[] = [];
    const look = ++this.#look;
    const [heads, next, tags, wordOf, looked, starts, frequencies] = [this.#heads, this.#next, this.#tags, this.#wordOf,
      this.#looked, this.#starts, this.#frequencies];
    const mask = heads.length - 1;
    for (const hash of hashes) {
      const tag = hash >>> 24;
      for (let i = heads[hash & mask]!; i !== 0; i = next[i - 1]!) {
        if (tags[i - 1] !== tag) continue;
        const number = wordOf[i - 1]!;
        if (looked[number] === look) continue;
        looked[number] = look;
        const [from, to] = [starts[number]!, starts[number + 1]!];
        if (frequencies[number] === 0 || Math.abs(to - from - length) > most) continue;
        const distance = editsBetween(this.#units, 0, length, this.#text, from, to, most);
        if (distance > 0 && distance <= most) found.push({ number, distance });
      }
    }
    return found;
  }

  /** Copies a word to the buffer; returns its length, or 0 for a word that the dictionary cannot contain. */
  #read(word: string): number {
    if (word.length > MAX_WORD) return 0;
    for (let i = 0; i < word.length; i++) this.#units[i] = word.charCodeAt(i);
    return word.length;
  }

  #wordAt(number: number): string {
    return String.fromCharCode(...this.#text.subarray(this.#starts[number], this.#starts[number + 1]));
  }

  /** The slot of the word in the buffer, or the empty slot where it belongs. */
  #slotOf(length: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(this.#units, 0, length) & mask;; slot = (slot + 1) & mask) {
      const known = this.#slots[slot]!;
      if (known === 0 || this.#isWord(known - 1, length)) return slot;
    }
  }

  #isWord(number: number, length: number): boolean {
    const from = this.#starts[number]!;
    if (this.#starts[number + 1]! - from !== length) return false;
    for (let i = 0; i < length; i++) if (this.#text[from + i] !== this.#units[i]) return false;
    return true;
  }

  /** Adds the word in the buffer; returns its number. */
  #add(length: number, slot: number): number {
    const number = this.#words++;
    const from = this.#starts[number]!;
    if (from + length > this.#text.length) this.#text = widened(this.#text, from + length);
    this.#text.set(this.#units.subarray(0, length), from);
    if (number + 2 > this.#starts.length) {
      this.#starts = widened(this.#starts, number + 2);
      for (const name of ['frequencies', 'rounds', 'looked'] as const) this.#widen(name, number + 1);
    }
    this.#starts[number + 1] = from + length;
    this.#slots[slot] = number + 1;
    if (this.#words * 4 > this.#slots.length * 3) this.#rehash();
    this.#hashDeletions(this.#units, 0, length);
    for (let i = 0; i < this.#count; i++)
      if (this.#hashes.indexOf(this.#hashes[i]!) === i) this.#list(this.#hashes[i]!, number);
    return number;
  }

  #widen(name: 'frequencies' | 'rounds' | 'looked', least: number): void {
    if (name === 'frequencies') this.#frequencies = widened(this.#frequencies, least);
    else if (name === 'rounds') this.#rounds = widened(this.#rounds, least);
    else this.#looked = widened(this.#looked, least);
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#words; number++) {
      let slot = hashOf(this.#text, this.#starts[number]!, this.#starts[number + 1]!) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }

  /** Adds a deletion of a word to the list of its hash. */
  #list(hash: number, number: number): void {
    const i = this.#deletions++;
    if (i >= this.#wordOf.length) {
      this.#next = widened(this.#next, i + 1);
      this.#wordOf = widened(this.#wordOf, i + 1);
      this.#tags = widened(this.#tags, i + 1);
    }
    this.#wordOf[i] = number;
    this.#tags[i] = hash >>> 24;
    const head = hash & (this.#heads.length - 1);
    this.#next[i] = this.#heads[head]!;
    this.#heads[head] = i + 1;
    if (this.#deletions > this.#heads.length && this.#heads.length < 1 << 24) this.#relist();
  }

  /** Doubles the number of heads and computes all hashes again, word by word. */
  #relist(): void {
    this.#heads = new Uint32Array(this.#heads.length * 2);
    this.#deletions = 0;
    const kept = this.#hashes.slice();
    const count = this.#count;
    for (let number = 0; number < this.#words; number++) {
      this.#hashDeletions(this.#text, this.#starts[number]!, this.#starts[number + 1]!);
      for (let i = 0; i < this.#count; i++)
        if (this.#hashes.indexOf(this.#hashes[i]!) === i) this.#list(this.#hashes[i]!, number);
    }
    this.#hashes.set(kept);
    this.#count = count;
  }

  /** Number of hashes in the buffer. */
  #count = 0;

  /**
   * Writes the hashes of the deletions of a word's beginning: first of none and one letter, then of two. Returns the
   * number of the former.
   */
  #hashDeletions(units: Uint16Array, from: number, to: number): number {
    const length = Math.min(PREFIX, to - from);
    let count = 0;
    this.#hashes[count++] = hashWithout(units, from, length, -1, -1);
    if (length > 1) { for (let i = 0; i < length; i++) this.#hashes[count++] = hashWithout(units, from, length, i,
          -1); }
    const singles = count;
    if (length > 2) {
      for (let i = 0; i < length; i++)
        for (let j = i + 1; j < length; j++) this.#hashes[count++] = hashWithout(units, from, length, i, j);
    }
    this.#count = count;
    return singles;
  }
}

/** FNV-1a (Fowler, Noll and Vo) with a final mixing step, of some units without those at two places. */
function hashWithout(units: Uint16Array, from: number, length: number, first: number, second: number): number {
  let hash = SEED;
  for (let i = 0; i < length; i++) if (i !== first && i !== second) hash = Math.imul(hash ^ units[from + i]!, FNV);
  return mixed(hash);
}

function hashOf(units: Uint16Array, from: number, to: number): number {
  let hash = SEED;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ units[i]!, FNV);
  return mixed(hash);
}

function mixed(hash: number): number {
  const scattered = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (scattered ^ (scattered >>> 15)) >>> 0;
}

/** A copy that is longer by at least half. */
function widened<T extends Uint8Array | Uint16Array | Uint32Array>(array: T, least: number): T {
  const wider = new (array.constructor as new(length: number) => T)(
    Math.max(least, array.length + (array.length >> 1)),
  );
  wider.set(array);
  return wider;
}

/** Buffer of `editsBetween`: three rows of a table. */
const MAX_LENGTH = 64;
const ROWS = [new Uint8Array(MAX_LENGTH + 2), new Uint8Array(MAX_LENGTH + 2), new Uint8Array(MAX_LENGTH + 2)] as const;
const FAR = 99;

/**
 * Insertions, deletions, substitutions and swaps of neighbours between two words (optimal string alignment, Boytsov
 * 2011), given as parts of arrays of UTF-16; a number above `most` if there are more. Words have at most 64 units.
 */
function editsBetween(a: Uint16Array, aFrom: number, aTo: number, b: Uint16Array, bFrom: number, bTo: number,
  most: number): number
{
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) {
    aFrom++;
    bFrom++;
  }
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo--;
    bTo--;
  }
  const [m, n] = [aTo - aFrom, bTo - bFrom];
  if (Math.abs(m - n) > most) return most + 1;
  if (m === 0 || n === 0) return m + n;
  // Skip the common beginning and end.
  if (most === 1 || (m === 1 && n === 1))
    return m === 1 && n === 1
      ? 1
      : m === 2 && n === 2 && a[aFrom] === b[bFrom + 1] && a[aFrom + 1] === b[bFrom]
      ? 1
      : 2;
  return align(a.subarray(aFrom, aTo), b.subarray(bFrom, bTo), most);
}

/** Compute the table by rows; only cells near the diagonal can be small enough. */
function align(a: Uint16Array, b: Uint16Array, most: number): number {
  let [before, above, row] = ROWS;
  const n = b.length;
  for (let j = 0; j <= n; j++) above[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const [low, high] = [Math.max(1, i - most), Math.min(n, i + most)];
    row[low - 1] = low === 1 ? i : FAR;
    let least = row[low - 1]!;
    for (let j = low; j <= high; j++) {
      const [x, y] = [a[i - 1], b[j - 1]];
      let cost = Math.min(above[j - 1]! + (x === y ? 0 : 1), (j < i + most ? above[j]! : FAR) + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && x === b[j - 2] && a[i - 2] === y) cost = Math.min(cost, before[j - 2]! + 1);
      row[j] = cost;
      least = Math.min(least, cost);
    }
    if (high < n) row[high + 1] = FAR;
    if (least > most) return most + 1;
    [before, above, row] = [above, row, before];
  }
  return Math.min(above[n]!, most + 1);
}
