import { describe, expect, it } from 'vitest';
import { keptTokenTables, makeTokenTables, packTokenTables, tokenTablesVersion,
  unpackTokenTables } from './token-tables.ts';

describe('kept token tables', () => {
  it('are those that the engine has, where they are of its version', () => {
    expect(keptTokenTables(tokenTablesVersion())).toEqual(makeTokenTables());
    expect(keptTokenTables('1/0/0')).toBeUndefined();
  });

  it('come out of bytes at any place as they went in', () => {
    const tables = {
      index: Uint16Array.of(1, 2),
      blocks: Uint32Array.of(3, 0xffff_ffff, 5),
      expansions: Uint8Array.of(6, 7, 8),
    };
    const packed = packTokenTables(tables, '1/16.0/77.1');
    const moved = Buffer.concat([Buffer.alloc(1), packed]).subarray(1);
    expect(unpackTokenTables(moved, '1/16.0/77.1')).toEqual(tables);
    expect(unpackTokenTables(moved, '1/16.0/77.2')).toBeUndefined();
  });
});
