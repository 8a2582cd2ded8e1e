// A beam: the nearest rows that a search knows, by distance, in an array. An entry is an i64 that sorts by distance:
// the upper half is the distance as an integer of the same order; the lower half is row << 1 | whether its links were
// followed.

export const FOLLOWED: i64 = 1;

/** The entry of a row at a distance. */
export function entryOf(distance: f32, row: u32): i64 {
  const bits = reinterpret<i32>(distance);
  return (<i64>(bits ^ ((bits >> 31) & 0x7fffffff)) << 32) | (<i64>row << 1);
}

export function rowOf(entry: i64): u32 {
  return <u32>entry >> 1;
}

export function distanceOf(entry: i64): f32 {
  const bits = <i32>(entry >> 32);
  return reinterpret<f32>(bits ^ ((bits >> 31) & 0x7fffffff));
}

/**
 * Inserts an entry into a beam that holds `size` of at most `room` entries. A full beam drops its last entry; the new
 * entry must then be nearer than that. Returns the new entry's index.
 */
export function insertEntry(beam: usize, size: u32, room: u32, entry: i64): u32 {
  const place = placeOf(beam, size, entry);
  const start = beam + (<usize>place << 3);
  let at = beam + (<usize>(size < room ? size : room - 1) << 3);
  while (at >= start + 16) {
    at -= 16;
    v128.store(at + 8, v128.load(at));
  }
  if (at > start) store<i64>(start + 8, load<i64>(start));
  store<i64>(start, entry);
  return place;
}

/** Number of entries that are nearer: a binary search without branches. */
function placeOf(beam: usize, size: u32, entry: i64): u32 {
  let from = beam;
  let count = size;
  while (count > 1) {
    const half = count >> 1;
    from += <usize>(load<i64>(from + (<usize>(half - 1) << 3)) < entry) * (<usize>half << 3);
    count -= half;
  }
  return <u32>((from - beam) >> 3) + <u32>(count === 1 && load<i64>(from) < entry);
}
