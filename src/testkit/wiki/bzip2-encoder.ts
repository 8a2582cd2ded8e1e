/**
 * Compresses bytes with bzip2, as simply as possible: rotations sorted by comparison, codes of equal length. For small
 * inputs.
 */
export function bzip2(bytes: Uint8Array, blockBytes = 2000): Uint8Array<ArrayBuffer> {
  const out = new BitWriter();
  for (const byte of Buffer.from('BZh1')) out.put(byte, 8);
  let combined = 0;
  for (let from = 0; from < bytes.length; from += blockBytes) {
    const block = bytes.subarray(from, from + blockBytes);
    const crc = crcOf(block);
    combined = (((combined << 1) | (combined >>> 31)) ^ crc) >>> 0;
    writeBlock(out, block, crc);
  }
  out.put(0x177245, 24);
  out.put(0x385090, 24);
  out.put(combined, 32);
  return out.bytes();
}

/** CRC-32 with the highest bit first, computed bit by bit. */
export function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return ~crc >>> 0;
}

function writeBlock(out: BitWriter, block: Uint8Array, crc: number): void {
  const { column, origin } = transform(shortenRuns(block));
  const used = [...new Set(column)].sort((a, b) => a - b);
  const symbols = [...moveToFront(column, used), used.length + 1];
  out.put(0x314159, 24);
  out.put(0x265359, 24);
  out.put(crc, 32);
  out.put(0, 1);
  out.put(origin, 24);
  const rows = Array.from({ length: 16 }, (_, row) => used.filter((byte) => byte >> 4 === row));
  for (const row of rows) out.put(row.length > 0 ? 1 : 0, 1);
  for (const row of rows)
    if (row.length > 0) { for (let i = 0; i < 16; i++) out.put(row.some((byte) => (byte & 15) === i) ? 1 : 0, 1); }
  const groups = Math.ceil(symbols.length / 50);
  out.put(2, 3);
  out.put(groups, 15);
  // The two codes alternate.
  for (let group = 0; group < groups; group++) out.put(group === 0 ? 0 : 2, group === 0 ? 1 : 2);
  const length = Math.ceil(Math.log2(used.length + 2));
  // In the first code all lengths are equal; the second one makes its symbols 1 to 10 bits longer.
  const lengths = [Array<number>(used.length + 2).fill(length),
    Array.from({ length: used.length + 2 }, (_, i) => length + 1 + (i % 10))];
  for (const code of lengths) writeLengths(out, code);
  const codes = lengths.map(canonical);
  for (const [i, symbol] of symbols.entries()) {
    const code = Math.floor(i / 50) & 1;
    out.put(codes[code]![symbol]!, lengths[code]![symbol]!);
  }
}

function writeLengths(out: BitWriter, lengths: readonly number[]): void {
  let length = lengths[0]!;
  out.put(length, 5);
  for (const wanted of lengths) {
    for (; length < wanted; length++) out.put(2, 2);
    for (; length > wanted; length--) out.put(3, 2);
    out.put(0, 1);
  }
}

function canonical(lengths: readonly number[]): number[] {
  const codes = Array<number>(lengths.length);
  let next = 0;
  for (let length = 1; length <= 20; length++) {
    for (const [symbol, own] of lengths.entries()) if (own === length) codes[symbol] = next++;
    next *= 2;
  }
  return codes;
}

function shortenRuns(bytes: Uint8Array): number[] {
  const short: number[] = [];
  for (let i = 0; i < bytes.length;) {
    let run = 1;
    while (run < 259 && bytes[i + run] === bytes[i]) run++;
    for (let j = 0; j < Math.min(run, 4); j++) short.push(bytes[i]!);
    if (run >= 4) short.push(run - 4);
    i += run;
  }
  return short;
}

function transform(bytes: readonly number[]): { column: number[]; origin: number } {
  const twice = [...bytes, ...bytes];
  const compare = (a: number, b: number): number => {
    for (let i = 0; i < bytes.length; i++) if (twice[a + i] !== twice[b + i]) return twice[a + i]! - twice[b + i]!;
    return 0;
  };
  const order = bytes.map((_, i) => i).sort(compare);
  return { column: order.map((at) => twice[at + bytes.length - 1]!), origin: order.indexOf(0) };
}

function moveToFront(column: readonly number[], used: readonly number[]): number[] {
  const recent = [...used];
  const symbols: number[] = [];
  let run = 0;
  const endRun = (): void => {
    for (; run > 0; run = (run - 1) >> 1) symbols.push((run - 1) & 1);
  };
  for (const byte of column) {
    const place = recent.indexOf(byte);
    if (place === 0) run++;
    else {
      endRun();
      symbols.push(place + 1);
      recent.splice(place, 1);
      recent.unshift(byte);
    }
  }
  endRun();
  return symbols;
}

class BitWriter {
  readonly #bits: number[] = [];

  put(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit--) this.#bits.push(Math.floor(value / 2 ** bit) & 1);
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Math.ceil(this.#bits.length / 8));
    for (const [i, bit] of this.#bits.entries()) bytes[i >> 3]! |= bit << (7 - (i & 7));
    return bytes;
  }
}
