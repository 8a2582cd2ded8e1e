import { describe, expect, it } from 'vitest';
import type { Change } from './change.ts';
import { RecentChanges } from './recent-changes.ts';

const change = (lsn: number, contentMd = '', meta: Record<string, string[]> = {}): Change => ({
  lsn,
  kind: 'doc.put',
  collection: 'c',
  at: 0,
  flags: 0,
  document: { meta, contentMd, addedAt: 0, updatedAt: 0, expiresAt: null },
});
const changes = (from: number, to: number, contentMd?: string): Change[] =>
  Array.from({ length: to - from + 1 }, (_, i) => change(from + i, contentMd));
const numbers = (found: readonly Change[] | undefined): number[] | undefined => found?.map(({ lsn }) => lsn);

describe('recent changes', () => {
  it('are read in order from any that is kept, and not at the head', () => {
    const recent = new RecentChanges();
    expect([recent.after(0, 10), recent.last]).toEqual([undefined, 0]);
    recent.add(changes(5, 7));
    recent.add(changes(8, 9));
    expect([4, 5, 8].map((lsn) => numbers(recent.after(lsn, 2)))).toEqual([[5, 6], [6, 7], [9]]);
    expect([3, 9, 10].map((lsn) => recent.after(lsn, 2))).toEqual([undefined, undefined, undefined]);
    expect(recent.last).toBe(9);
  });

  it('go when changes come that do not follow them', () => {
    const recent = new RecentChanges();
    recent.add(changes(1, 3));
    recent.add(changes(7, 8));
    expect([numbers(recent.after(1, 9)), numbers(recent.after(6, 9))]).toEqual([undefined, [7, 8]]);
    recent.add(changes(2, 2));
    expect([numbers(recent.after(6, 9)), numbers(recent.after(1, 9))]).toEqual([undefined, [2]]);
  });

  it('are released up to a number', () => {
    const recent = new RecentChanges();
    recent.add(changes(1, 6));
    recent.release(4);
    expect([recent.after(3, 9), numbers(recent.after(4, 9))]).toEqual([undefined, [5, 6]]);
    recent.release(Infinity);
    expect([recent.after(5, 9), recent.last]).toEqual([undefined, 0]);
    recent.add(changes(7, 7));
    expect(numbers(recent.after(6, 9))).toEqual([7]);
  });

  it('are bounded in number and in the length of their documents, but for one', () => {
    const few = new RecentChanges({ changes: 3, units: 100 });
    few.add(changes(1, 5));
    expect([few.after(1, 9), numbers(few.after(2, 9))]).toEqual([undefined, [3, 4, 5]]);
    const short = new RecentChanges({ changes: 100, units: 100 });
    short.add(changes(1, 4, 'x'.repeat(40)));
    expect([short.after(1, 9), numbers(short.after(2, 9))]).toEqual([undefined, [3, 4]]);
    short.add([change(5, 'x'.repeat(1000))]);
    expect([short.after(3, 9), numbers(short.after(4, 9))]).toEqual([undefined, [5]]);
    short.add([change(6, '', { tags: ['x'.repeat(60), 'y'.repeat(32)] }), change(7)]);
    expect([short.after(4, 9), numbers(short.after(5, 9))]).toEqual([undefined, [6, 7]]);
    short.add([change(8, 'x')]);
    expect([short.after(5, 9), numbers(short.after(6, 9))]).toEqual([undefined, [7, 8]]);
  });
});
