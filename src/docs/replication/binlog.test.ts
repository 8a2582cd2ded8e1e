import fc from 'fast-check';
import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync,
  writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommitQueries } from '../../storage/index.ts';
import { Binlog, BinlogGap } from './binlog.ts';
import { BadEntry, checkedEntries, PIECE } from './entry.ts';
import type { Place } from './state.ts';

const HISTORY = 'a'.repeat(32);
const START: Place = { history: HISTORY, position: 0, checksum: 0 };

let folder: string;
let binlog: Binlog;
/** Row of table `replication`. */
let row: { history: string; position: number; checksum: number; lsn: number };
let now: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-binlog-'));
  now = 1_000_000;
  row = { ...START, lsn: 0 };
  binlog = open();
});
afterEach(async () => {
  binlog.close();
  await rm(folder, { recursive: true, force: true });
});

const open = (maxBytes = 2 ** 20): Binlog =>
  new Binlog({ folder, clock: { now: () => now }, maxBytes, maxAgeMs: 86_400_000 }, row, row.lsn);

const queries: CommitQueries = {
  get: () => row,
  run: (_sql, [position, checksum]) => {
    row = { ...row, position: position as number, checksum: checksum as number };
    return { changes: 1 };
  },
};

async function commit(patchset: Uint8Array): Promise<void> {
  row = { ...row, lsn: row.lsn + 1 };
  binlog.prepare(queries, patchset);
  await binlog.sync();
  binlog.durable();
}

/** Patchsets that follow a position, up to the end. */
async function read(after: Place): Promise<Buffer[]> {
  const over = new AbortController();
  const patchsets: Buffer[] = [];
  let pieces: Buffer[] = [];
  let place = after;
  let waits = 0;
  for await (const piece of binlog.follow(after, over.signal, async () => undefined)) {
    if (piece === undefined && waits++ > 0) over.abort();
    for (const entry of checkedEntries(piece?.bytes ?? Buffer.alloc(0), place)) {
      place = { ...place, ...entry };
      pieces.push(entry.value);
      if (entry.txnEnd) patchsets.push(Buffer.concat(pieces));
      if (entry.txnEnd) pieces = [];
    }
  }
  return patchsets;
}

const bytes = (length: number, fill: number): Buffer => Buffer.alloc(length, fill);

describe('the binlog', () => {
  it('returns the commits after any place, in order and whole, over restarts', async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.record({
      size: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constant(PIECE + 5)),
      restart: fc.boolean(),
    }), { minLength: 1, maxLength: 8 }), fc.nat(), async (steps, seed) => {
      const begin: Place = { ...row };
      const places: Place[] = [begin];
      for (const [i, { size, restart }] of steps.entries()) {
        await commit(bytes(size, i));
        places.push({ ...row });
        if (!restart) continue;
        binlog.close();
        binlog = open(2 ** 30);
      }
      const from = seed % places.length;
      const wanted = steps.map(({ size }, i) => bytes(size, i)).slice(from);
      expect((await read(places[from]!)).map((patchset) => patchset.equals(wanted.shift()!))).toEqual(
        steps.slice(from).map(() => true),
      );
    }), { numRuns: 12 });
  });

  it('forgets a commit that was not made', async () => {
    await commit(bytes(10, 1));
    const before = { ...row };
    binlog.prepare(queries, bytes(20, 2));
    binlog.abandoned();
    row = before;
    await commit(bytes(30, 3));
    expect((await read(START)).map(({ length }) => length)).toEqual([10, 30]);
  });

  it('cuts off what a crash has left behind the last commit, torn or whole', async () => {
    await commit(bytes(10, 1));
    const before = { ...row };
    binlog.prepare(queries, bytes(20, 2));
    binlog.close();
    row = before;
    const [segment] = readdirSync(folder);
    appendFileSync(join(folder, segment!), 'torn');
    binlog = open();
    await commit(bytes(30, 3));
    expect((await read(START)).map(({ length }) => length)).toEqual([10, 30]);
  });

  it('continues in its last segment when the next one cannot be begun, as on a full disk', async () => {
    binlog.close();
    binlog = open(8000);
    await commit(bytes(1500, 1));
    const before = { ...row };
    const next = join(folder, `${String(row.position).padStart(16, '0')}.binlog`);
    mkdirSync(next);
    for (let i = 0; i < 2; i++) await expect(commit(bytes(20, 2))).rejects.toThrow('EEXIST');
    binlog.abandoned();
    row = before;
    rmdirSync(next);
    // Gets the number of a descriptor that was closed by mistake.
    const other = openSync(join(folder, 'other'), 'w');
    await commit(bytes(30, 3));
    expect((await read(START)).map(({ length }) => length)).toEqual([1500, 30]);
    expect(writeSync(other, 'mine')).toBe(4);
    closeSync(other);
    expect(readFileSync(join(folder, 'other'), 'latin1')).toBe('mine');
  });

  it.each(['', 'QUIREBL1 torn'])('continues after a crash while a segment was begun (%j)', async (torn) => {
    await commit(bytes(10, 1));
    binlog.close();
    writeFileSync(join(folder, `${String(row.position).padStart(16, '0')}.binlog`), torn);
    binlog = open();
    await commit(bytes(30, 3));
    expect((await read(START)).map(({ length }) => length)).toEqual([10, 30]);
  });

  it('opens without the segments up to a damaged one', async () => {
    binlog.close();
    binlog = open(8000);
    for (let i = 0; i < 3; i++) await commit(bytes(1500, i));
    binlog.close();
    const [first, second] = readdirSync(folder).sort();
    for (const name of [first!, second!]) writeFileSync(join(folder, name), 'damaged');
    binlog = open(8000);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(binlog.oldestLsn).toBe(3);
    await expect(read(START)).rejects.toThrow(BinlogGap);
  });

  it('starts over where it misses the last commits of the database', async () => {
    await commit(bytes(10, 1));
    const known = { ...row };
    binlog.close();
    row = { ...row, position: row.position + 5, checksum: 77 };
    binlog = open();
    await expect(read(known)).rejects.toThrow(BinlogGap);
    expect(binlog.oldestLsn).toBe(0);
    const place = { ...row };
    await commit(bytes(30, 3));
    expect(await read(place)).toHaveLength(1);
  });

  it('refuses places of another history, of the future, and of another past', async () => {
    await commit(bytes(10, 1));
    for (const place of [{ ...START, history: 'b'.repeat(32) }, { ...row, position: 9 }, {
      ...row,
      checksum: row.checksum ^ 1,
    }]) await expect(read(place)).rejects.toThrow(BinlogGap);
  });

  it('starts over when the database was replaced, and ends what follows it', async () => {
    await commit(bytes(10, 1));
    const place = { ...row };
    row = { history: 'b'.repeat(32), position: 0, checksum: 0, lsn: 50 };
    const follower = binlog.follow(place, new AbortController().signal, () => new Promise(() => undefined));
    await follower.next();
    const ended = expect(follower.next()).rejects.toThrow(BinlogGap);
    await commit(bytes(20, 2));
    await ended;
    expect(await read({ ...row, position: 0, checksum: 0 })).toHaveLength(1);
  });

  it('removes its oldest segments beyond the size, and those beyond the age', async () => {
    for (let i = 0; i < 40; i++) await commit(bytes(60_000, i));
    await binlog.prune();
    expect(binlog.sizeBytes).toBeLessThanOrEqual(2 ** 20);
    expect(binlog.oldestLsn).toBeGreaterThan(1);
    await expect(read(START)).rejects.toThrow(BinlogGap);
    now = Date.now() + 2 * 86_400_000;
    await binlog.prune();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('is not believed where a byte of it has changed', async () => {
    await commit(bytes(10, 1));
    const [segment] = readdirSync(folder);
    const file = join(folder, segment!);
    const content = readFileSync(file);
    content[content.length - 1]! ^= 1;
    writeFileSync(file, content);
    await expect(read(START)).rejects.toThrow(BadEntry);
  });
});
