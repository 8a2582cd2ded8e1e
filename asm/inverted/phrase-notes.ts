// What is noted about a word in a candidate of an exact phrase. Before its positions are decoded, u32 each:
//
//     number of positions, up to three positions + 1     or     MANY, 0, the remainders (u64)
//
// Remainders have a bit for each remainder by 64 that a position of the word may have. Most candidates have each word
// up to three times, so that their notes alone say whether they have the phrase (see `phrase-decisions.ts`). For the
// others, this takes the place (see `occurrences.ts`):
//
//     start of the positions in B_POSITIONS_FOUND in bytes, their number, whether all are known already

/** More positions than a note has space for, or unknown ones. */
const MANY: u32 = 0x80000000;
/** Most positions in a note. */
const MOST: u32 = 3;
const N_POSITIONS: usize = 4;
const N_REMAINDERS: usize = 8;
const N_KNOWN: usize = 8;

export function hasSpace(note: usize): bool {
  return load<u32>(note) < MOST;
}

/** Adds a position to a note that has space, unless `adding` is 0. Without branches. */
export function addToFew(note: usize, position: u32, adding: u32): void {
  const count = load<u32>(note);
  assert(count < MOST, 'no space for a position');
  store<u32>(note + (<usize>count << 2), (position + 1) & (0 - adding), N_POSITIONS);
  store<u32>(note, count + adding);
}

export function addPosition(note: usize, position: u32): void {
  if (hasSpace(note)) addToFew(note, position, 1);
  else addRemainders(note, <u64>1 << <u64>(position & 63));
}

export function addRemainders(note: usize, remainders: u64): void {
  if (load<u32>(note) !== 0) remainders |= remaindersIn(note);
  store<u64>(note, MANY);
  store<u64>(note, remainders, N_REMAINDERS);
}

export function isMany(note: usize): bool {
  return load<u32>(note) === MANY;
}

/** The remainders of all positions of a note. */
export function remaindersIn(note: usize): u64 {
  return isMany(note)
    ? load<u64>(note, N_REMAINDERS)
    : remainderOf(load<u32>(note, 4)) | remainderOf(load<u32>(note, 8)) | remainderOf(load<u32>(note, 12));
}

function remainderOf(position: u32): u64 {
  return <u64>(position !== 0) << <u64>((position - 1) & 63);
}

/**
 * Those of some positions from which `offset` further on the word of a note has a position; the others become 0. As no
 * position + 1 of the note is 0, it fits nothing that is not there.
 */
export function fitPositions(positions: v128, note: usize, offset: u32): v128 {
  const others = v128.load(note);
  const wanted = i32x4.add(positions, i32x4.splat(<i32>offset));
  let fits = i32x4.eq(wanted, v128.shuffle<i32>(others, others, 1, 1, 1, 1));
  fits = v128.or(fits, i32x4.eq(wanted, v128.shuffle<i32>(others, others, 2, 2, 2, 2)));
  fits = v128.or(fits, i32x4.eq(wanted, v128.shuffle<i32>(others, others, 3, 3, 3, 3)));
  return v128.and(positions, fits);
}

/** Whether any of the positions of a note is not 0. */
export function hasAny(positions: v128): bool {
  return v128.any_true(v128.and(positions, i32x4(0, -1, -1, -1)));
}

/** Copies the number of positions of each of `words` words, given the first note. */
export function copyCounts(note: usize, words: u32, to: usize): void {
  for (const end = to + (<usize>words << 2); to < end; to += 4) {
    store<u32>(to, load<u32>(note));
    note += 16;
  }
}

/** Copies the positions of a note to `to`, ascending, u64 each; returns their number. There must be space for three. */
export function copyPositions(note: usize, to: usize): u32 {
  const count = load<u32>(note);
  for (let i: usize = 0; i < <usize>count; i++) {
    const position = <u64>(load<u32>(note + (i << 2), N_POSITIONS) - 1);
    let at = to + (i << 3);
    for (; at > to && load<u64>(at - 8) > position; at -= 8) store<u64>(at, load<u64>(at - 8));
    store<u64>(at, position);
  }
  return count;
}

export function setKnown(note: usize, known: bool): void {
  store<u32>(note, <u32>known, N_KNOWN);
}

export function isKnown(note: usize): bool {
  return load<u32>(note, N_KNOWN) !== 0;
}
