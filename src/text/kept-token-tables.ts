import { readFileSync } from 'node:fs';
import type { TokenTables } from './token-tables.ts';

// The tables as `npm run generate` writes them, so that a start need not compute them:
//
//     64 bytes: version, entries of index, of blocks and of expansions, as text   index   blocks   expansions   (little endian)

const HEADER_BYTES = 64;

export const KEPT_TOKEN_TABLES = 'token-tables.bin';

/** Tables as bytes, with the version of Unicode that they were computed with. */
export function packTokenTables({ index, blocks, expansions }: TokenTables, version: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES, ' ');
  header.write([version, index.length, blocks.length, expansions.length].join(' '), 'latin1');
  return Buffer.concat([header, ...[index, blocks, expansions].map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))]);
}

/** Undefined for the tables of another version. */
export function unpackTokenTables(bytes: Buffer, version: string): TokenTables | undefined {
  const [kept, ...lengths] = bytes.toString('latin1', 0, HEADER_BYTES).trim().split(' ');
  if (kept !== version) return undefined;
  const [indexed, blocked, expanded] = lengths.map(Number) as [number, number, number];
  // A copy, since arrays of numbers must be aligned.
  const { buffer } = new Uint8Array(bytes.subarray(HEADER_BYTES));
  return { index: new Uint16Array(buffer, 0, indexed), blocks: new Uint32Array(buffer, indexed * 2, blocked), expansions: new Uint8Array(buffer, indexed * 2 + blocked * 4, expanded) };
}

/** Those that were generated; undefined where the engine has other Unicode data, or before they were. */
export function keptTokenTables(version: string): TokenTables | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(new URL(`../../generated/text/${KEPT_TOKEN_TABLES}`, import.meta.url));
  } catch {
    return undefined;
  }
  return unpackTokenTables(bytes, version);
}
