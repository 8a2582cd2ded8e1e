// Variable-length integers, UTF-8 and byte strings in raw memory.

/** Writes an unsigned LEB128 integer and gives the address behind it; at most five bytes. */
export function putVarint(at: usize, value: u32): usize {
  while (value >= 0x80) {
    store<u8>(at++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(at, <u8>value);
  return at + 1;
}

/** The integer at an address in the low half, the number of its bytes in the high half. */
export function getVarint(at: usize): u64 {
  let byte = <u32>load<u8>(at);
  if (byte < 0x80) return (<u64>1 << 32) | byte;
  let value = byte & 0x7f;
  let shift: u32 = 7;
  let length: u32 = 1;
  do {
    byte = load<u8>(at + length++);
    value |= (byte & 0x7f) << shift;
    shift += 7;
  } while (byte >= 0x80);
  return (<u64>length << 32) | value;
}

export function varintValue(result: u64): u32 {
  return <u32>result;
}

export function varintLength(result: u64): u32 {
  return <u32>(result >> 32);
}

/** Address behind so many integers. */
export function skipVarints(at: usize, count: u32): usize {
  while (count > 0) {
    if (load<u8>(at++) < 0x80) count--;
  }
  return at;
}

export function varintSize(value: u32): u32 {
  return value === 0 ? 1 : (38 - clz(value)) / 7;
}

/** Length in bytes of the UTF-8 character that a byte begins. The text is valid UTF-8. */
export function characterLength(first: u32): u32 {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** The code point at an address, given its length in bytes. */
export function codePointAt(at: usize, length: u32): u32 {
  const first = <u32>load<u8>(at);
  if (length === 1) return first;
  const second = <u32>load<u8>(at, 1) & 0x3f;
  if (length === 2) return ((first & 0x1f) << 6) | second;
  const third = <u32>load<u8>(at, 2) & 0x3f;
  if (length === 3) return ((first & 0x0f) << 12) | (second << 6) | third;
  return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(at, 3) & 0x3f);
}

/** Writes a code point as UTF-8 and gives the address behind it. */
export function putCodePoint(at: usize, c: u32): usize {
  if (c < 0x80) {
    store<u8>(at, <u8>c);
    return at + 1;
  }
  if (c < 0x800) {
    store<u8>(at, <u8>(0xc0 | (c >> 6)));
    store<u8>(at, <u8>(0x80 | (c & 0x3f)), 1);
    return at + 2;
  }
  if (c < 0x10000) {
    store<u8>(at, <u8>(0xe0 | (c >> 12)));
    store<u8>(at, <u8>(0x80 | ((c >> 6) & 0x3f)), 1);
    store<u8>(at, <u8>(0x80 | (c & 0x3f)), 2);
    return at + 3;
  }
  store<u8>(at, <u8>(0xf0 | (c >> 18)));
  store<u8>(at, <u8>(0x80 | ((c >> 12) & 0x3f)), 1);
  store<u8>(at, <u8>(0x80 | ((c >> 6) & 0x3f)), 2);
  store<u8>(at, <u8>(0x80 | (c & 0x3f)), 3);
  return at + 4;
}

/** Order of two byte strings, which for UTF-8 is that of their code points; a prefix comes first. */
export function compareBytes(a: usize, aLength: u32, b: usize, bLength: u32): i32 {
  const shared = min(aLength, bLength);
  for (let i: u32 = 0; i < shared; i++) {
    const difference = <i32>load<u8>(a + i) - <i32>load<u8>(b + i);
    if (difference !== 0) return difference;
  }
  return <i32>aLength - <i32>bLength;
}

/** The same for strings that are read from their ends. */
export function compareBackward(a: usize, aLength: u32, b: usize, bLength: u32): i32 {
  const shared = min(aLength, bLength);
  for (let i: u32 = 1; i <= shared; i++) {
    const difference = <i32>load<u8>(a + aLength - i) - <i32>load<u8>(b + bLength - i);
    if (difference !== 0) return difference;
  }
  return <i32>aLength - <i32>bLength;
}

export function equalBytes(a: usize, b: usize, length: u32): bool {
  let i: u32 = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(a + i) !== load<u64>(b + i)) return false;
  for (; i < length; i++) if (load<u8>(a + i) !== load<u8>(b + i)) return false;
  return true;
}

/** FNV-1a with the finaliser of MurmurHash3, which spreads it over the low bits. */
export function hashBytes(at: usize, length: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ <u32>load<u8>(at + i)) * 0x01000193;
  return finishHash(hash);
}

export function finishHash(hash: u32): u32 {
  hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
  return hash ^ (hash >> 16);
}
