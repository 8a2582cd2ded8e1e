// Columns of values. Each has a dictionary, the texts of its values, numbered from 1 and found by hash; and the
// documents of each value. Two columns always exist: the names of documents (IDENTITY: key and language in lower case,
// joined by `|`) and their language (LANG); all further ones are metadata keys.
//
// The letter case of a document's name matters where documents are sorted and counted, but not where they are filtered.
// So the column has the values in lower case, and its *spelled* pages have the values of documents whose spelling
// differs.
//
//     column, 136 bytes:
//        0 pages (see `forward.ts`): directory, capacity       8 spelled pages, the same      16 kind
//       20 records (see `paged.ts`), 12 bytes                 32 buckets, 12 bytes            44 buckets in use
//       48 number of the next value   52 first free number   56 values without documents   60 pairs
//       64 values   68 documents with a value                 72 two orders (see `orders.ts`), 28 bytes each
//      128 first value that `sweep` has not checked, 0 while it is not running
//     record, 40 bytes:
// 0 text 4 length, bit 31: it is a number 8 part 12 hash 16 f64 the number or date that the text means, or NaN
// 24 its documents (see `sets.ts`) 32 number of documents with this spelling 36 next in its bucket, or next free number
//
// Values are sorted by their part: of an identity, the key; of a very long metadata value, the beginning.
// With bit 31 set, the part is stored behind the text; otherwise it is the first bytes of the text.
//
// Buckets are added one at a time (Litwin, Linear Hashing, 1980), so that no addition takes long.

import { equalBytes, hashBytes } from '../inverted/bytes.ts';
import { H_COLUMN_CAPACITY, H_COLUMN_COUNT, H_COLUMNS, PART_DICTIONARIES } from './layout.ts';
import { allocate, release, resize } from './memory.ts';
import { entryAt, makeRoom } from './paged.ts';

export const COLUMN: u32 = 136;
export const C_PAGES: usize = 0;
export const C_SPELLED: usize = 8;
export const C_KIND: usize = 16;
export const C_RECORDS: usize = 20;
export const C_BUCKETS: usize = 32;
export const C_BUCKET_COUNT: usize = 44;
export const C_NEXT: usize = 48;
export const C_FREE: usize = 52;
export const C_UNUSED: usize = 56;
export const C_PAIRS: usize = 60;
export const C_VALUES: usize = 64;
export const C_DOCS: usize = 68;
export const C_ORDERS: usize = 72;
export const C_SWEEP: usize = 128;

export const IDENTITY: u32 = 0;
export const LANG: u32 = 1;
/** First metadata key. */
export const KEYS: u32 = 2;

export const R_TEXT: usize = 0;
export const R_LENGTH: usize = 4;
export const R_PART: usize = 8;
export const R_HASH: usize = 12;
export const R_MOMENT: usize = 16;
export const R_SET: usize = 24;
export const R_SPELLED: usize = 32;
export const R_NEXT: usize = 36;
const RECORD: u32 = 40;
const RECORD_SHIFT: u32 = 6;
const BUCKET_SHIFT: u32 = 8;
const FIRST_BUCKETS: u32 = 4;
export const FLAG: u32 = 0x80000000;

export function columnAt(column: u32): usize {
  assert(column < load<u32>(H_COLUMN_COUNT), 'no such column');
  return <usize>load<u32>(H_COLUMNS) + column * COLUMN;
}

/** Adds an empty column; returns its number. */
export function openColumn(): u32 {
  const column = load<u32>(H_COLUMN_COUNT);
  const room = load<u32>(H_COLUMN_CAPACITY);
  if (column === room) {
    const wider = room === 0 ? 4 : room * 2;
    store<u32>(H_COLUMNS, <u32>resize(load<u32>(H_COLUMNS), room * COLUMN, wider * COLUMN, PART_DICTIONARIES));
    store<u32>(H_COLUMN_CAPACITY, wider);
  }
  store<u32>(H_COLUMN_COUNT, column + 1);
  const at = columnAt(column);
  memory.fill(at, 0, COLUMN);
  store<u32>(at, 1, C_NEXT);
  return column;
}

export function recordAt(column: usize, value: u32): usize {
  assert(value > 0 && value < load<u32>(column, C_NEXT), 'no such value');
  return entryAt(column + C_RECORDS, value, RECORD_SHIFT, RECORD);
}

/** Whether a number belongs to a value, with documents or without. */
export function isValue(record: usize): bool {
  return load<u32>(record, R_TEXT) !== 0;
}

export function lengthOf(record: usize): u32 {
  return load<u32>(record, R_LENGTH) & ~FLAG;
}

export function isNumber(record: usize): bool {
  return (load<u32>(record, R_LENGTH) & FLAG) !== 0;
}

export function partOf(record: usize): usize {
  const text = <usize>load<u32>(record, R_TEXT);
  return (load<u32>(record, R_PART) & FLAG) === 0 ? text : text + lengthOf(record);
}

export function partLength(record: usize): u32 {
  return load<u32>(record, R_PART) & ~FLAG;
}

/** Whether any document has the value, or has it as its spelling. */
export function isUsed(record: usize): bool {
  return (load<u32>(record, R_SET) | load<u32>(record, R_SPELLED)) !== 0;
}

/** The number of a text, or 0. */
export function findValue(column: usize, at: usize, length: u32): u32 {
  return load<u32>(column, C_BUCKET_COUNT) === 0 ? 0 : findIn(column, at, length, hashBytes(at, length));
}

/** The number of a text; bit 31 is set if it is new. `part` as in a record; with bit 31, its bytes follow the text. */
export function findOrAdd(column: usize, at: usize, length: u32, part: u32): u32 {
  if (load<u32>(column, C_BUCKET_COUNT) === 0) store<u32>(column, FIRST_BUCKETS, C_BUCKET_COUNT);
  const hash = hashBytes(at, length);
  const found = findIn(column, at, length, hash);
  return found !== 0 ? found : addValue(column, at, length, part, hash) | FLAG;
}

/**
 * Continues to free numbers of values that no document has; checks at most `count`. Returns whether there are more. No
 * order may use them.
 */
export function sweep(column: usize, count: u32): bool {
  const next = load<u32>(column, C_NEXT);
  const from = max(load<u32>(column, C_SWEEP), 1);
  const end = min(next, from + count);
  for (let value = from; value < end; value++) {
    const record = recordAt(column, value);
    if (isValue(record) && !isUsed(record)) dropValue(column, value, record);
  }
  store<u32>(column, end === next ? 0 : end, C_SWEEP);
  return end < next;
}

function findIn(column: usize, at: usize, length: u32, hash: u32): u32 {
  const buckets = bucketOf(column, hash);
  if (!hasBucket(column, buckets)) return 0;
  let value = load<u32>(entryAt(column + C_BUCKETS, buckets, BUCKET_SHIFT, 4));
  while (value !== 0) {
    const record = recordAt(column, value);
    if (load<u32>(record, R_HASH) === hash && lengthOf(record) === length &&
      equalBytes(load<u32>(record, R_TEXT), at, length)) return value;
    value = load<u32>(record, R_NEXT);
  }
  return 0;
}

function addValue(column: usize, at: usize, length: u32, part: u32, hash: u32): u32 {
  const value = takeNumber(column);
  const record = recordAt(column, value);
  const bytes = (part & FLAG) === 0 ? length : length + (part & ~FLAG);
  const text = allocate(bytes, PART_DICTIONARIES);
  memory.copy(text, at, bytes);
  store<u32>(record, <u32>text, R_TEXT);
  store<u32>(record, length, R_LENGTH);
  store<u32>(record, part, R_PART);
  store<u32>(record, hash, R_HASH);
  store<f64>(record, NaN, R_MOMENT);
  store<u64>(record, 0, R_SET);
  store<u32>(record, 0, R_SPELLED);
  chain(column, value, record);
  store<u32>(column, load<u32>(column, C_VALUES) + 1, C_VALUES);
  store<u32>(column, load<u32>(column, C_UNUSED) + 1, C_UNUSED);
  if (load<u32>(column, C_VALUES) > load<u32>(column, C_BUCKET_COUNT)) splitBucket(column);
  return value;
}

function takeNumber(column: usize): u32 {
  const free = load<u32>(column, C_FREE);
  if (free !== 0) {
    store<u32>(column, load<u32>(recordAt(column, free), R_NEXT), C_FREE);
    return free;
  }
  const value = load<u32>(column, C_NEXT);
  makeRoom(column + C_RECORDS, value, RECORD_SHIFT, RECORD, PART_DICTIONARIES);
  store<u32>(column, value + 1, C_NEXT);
  return value;
}

function dropValue(column: usize, value: u32, record: usize): void {
  let place = entryAt(column + C_BUCKETS, bucketOf(column, load<u32>(record, R_HASH)), BUCKET_SHIFT, 4);
  while (load<u32>(place) !== value) place = recordAt(column, load<u32>(place)) + R_NEXT;
  store<u32>(place, load<u32>(record, R_NEXT));
  const part = load<u32>(record, R_PART);
  release(load<u32>(record, R_TEXT), (part & FLAG) === 0 ? lengthOf(record) : lengthOf(record) + (part & ~FLAG),
    PART_DICTIONARIES);
  store<u32>(record, 0, R_TEXT);
  store<u32>(record, load<u32>(column, C_FREE), R_NEXT);
  store<u32>(column, value, C_FREE);
  store<u32>(column, load<u32>(column, C_VALUES) - 1, C_VALUES);
  store<u32>(column, load<u32>(column, C_UNUSED) - 1, C_UNUSED);
}

// ---- Buckets

/**
 * Number of the bucket of a hash, among those of the next power of two; if that bucket does not exist yet, of the
 * bucket that will be split.
 */
function bucketOf(column: usize, hash: u32): u32 {
  const count = load<u32>(column, C_BUCKET_COUNT);
  const mask = ~(<u32>0) >> clz(count);
  const bucket = hash & mask;
  return bucket < count ? bucket : bucket & (mask >> 1);
}

/** Pages of buckets are made when they get their first value. */
function hasBucket(column: usize, bucket: u32): bool {
  const page = bucket >> BUCKET_SHIFT;
  if (page >= load<u32>(column + C_BUCKETS, 4)) return false;
  return page > 0
    ? load<u32>(<usize>load<u32>(column + C_BUCKETS) + (<usize>page << 2)) !== 0
    : bucket < load<u32>(column + C_BUCKETS, 8);
}

function chain(column: usize, value: u32, record: usize): void {
  const bucket = bucketOf(column, load<u32>(record, R_HASH));
  makeBucket(column, bucket);
  const head = entryAt(column + C_BUCKETS, bucket, BUCKET_SHIFT, 4);
  store<u32>(record, load<u32>(head), R_NEXT);
  store<u32>(head, value);
}

/** Makes space for a bucket, and for those before it. */
function makeBucket(column: usize, bucket: u32): void {
  while (!hasBucket(column, bucket))
    makeRoom(column + C_BUCKETS, bucket >> BUCKET_SHIFT === 0 ? load<u32>(column + C_BUCKETS, 8) : bucket, BUCKET_SHIFT,
      4, PART_DICTIONARIES);
}

/** Adds a bucket, and moves some values of another one to it. */
function splitBucket(column: usize): void {
  const bucket = load<u32>(column, C_BUCKET_COUNT);
  const from = bucket ^ (<u32>0x80000000 >> clz(bucket));
  makeBucket(column, bucket);
  store<u32>(column, bucket + 1, C_BUCKET_COUNT);
  if (!hasBucket(column, from)) return;
  let place = entryAt(column + C_BUCKETS, from, BUCKET_SHIFT, 4);
  const target = entryAt(column + C_BUCKETS, bucket, BUCKET_SHIFT, 4);
  while (load<u32>(place) !== 0) {
    const value = load<u32>(place);
    const record = recordAt(column, value);
    if (bucketOf(column, load<u32>(record, R_HASH)) !== bucket) {
      place = record + R_NEXT;
      continue;
    }
    store<u32>(place, load<u32>(record, R_NEXT));
    store<u32>(record, load<u32>(target), R_NEXT);
    store<u32>(target, value);
  }
}
