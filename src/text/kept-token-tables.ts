import { readFileSync } from 'node:fs';
import type { TokenTables } from './token-tables.ts';

// The tables as written by `npm run generate`, so that they need not be computed at each start:
//
// 64 bytes: version, entries of index, of blocks and of expansions, as text index blocks expansions (little endian)

const HEADER_BYTES = 64;

export const KEPT_TOKEN_TABLES = 'token-tables.bin';

/** Tables as bytes, with the version of the Unicode data from which they were computed. */
export function packTokenTables({ index, blocks, expansions }: TokenTables, version: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES, ' ');
  header.write([version, index.length, blocks.length, expansions.length].join(' '), 'latin1');
  return Buffer.concat([header,
    ...[index, blocks, expansions].map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength)
    )]);
}

/** Reads tables; undefined if they are of another version. */
export function unpackTokenTables(bytes: Buffer, version: string): TokenTables | undefined {
  const [kept, ...lengths] = bytes.toString('latin1', 0, HEADER_BYTES).trim().split(' ');
  if (kept !== version) return undefined;
  const [indexed, blocked, expanded] = lengths.map(Number) as [number, number, number];
  // Copied, because typed arrays must be aligned.
  const { buffer } = new Uint8Array(bytes.subarray(HEADER_BYTES));
  return {
    index: new Uint16Array(buffer, 0, indexed),
    blocks: new Uint32Array(buffer, indexed * 2, blocked),
    expansions: new Uint8Array(buffer, indexed * 2 + blocked * 4, expanded),
  };
}

/** The generated tables; undefined if the engine has other Unicode data, or if they were not generated yet. */
export function keptTokenTables(version: string): TokenTables | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(new URL(`../../generated/text/${KEPT_TOKEN_TABLES}`, import.meta.url));
  } catch {
    return undefined;
  }
  return unpackTokenTables(bytes, version);
}
