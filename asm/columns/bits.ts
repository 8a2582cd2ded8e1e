// Bitmaps: bit i & 7 of byte i >> 3.

export function setBit(bits: usize, index: u32): void {
  const byte = bits + (index >> 3);
  store<u8>(byte, <u8>(<u32>load<u8>(byte) | (1 << (index & 7))));
}

export function clearBit(bits: usize, index: u32): void {
  const byte = bits + (index >> 3);
  store<u8>(byte, <u8>(<u32>load<u8>(byte) & ~(1 << (index & 7))));
}

export function hasBit(bits: usize, index: u32): bool {
  return ((<u32>load<u8>(bits + (index >> 3)) >> (index & 7)) & 1) !== 0;
}
