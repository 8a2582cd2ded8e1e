import { describe, expect, it } from 'vitest';
import { answerColumns, ColumnStore } from '../../search/columns/index.ts';
import { parseFilter } from '../../search/filter/index.ts';
import { Loopback } from '../../testkit/parts/loopback.ts';
import { ColumnIndex, joinColumnIndexes, selectDocuments, standInColumns } from './columns-view.ts';

describe('the columns of several partitions', () => {
  it('have the documents of all of them, and a version that changes with each', () => {
    const parts = [0, 1, 2].map(() => new ColumnIndex(ColumnStore.create()));
    const joined = joinColumnIndexes(parts);
    const versions = [joined.version];
    for (let ord = 0; ord < 9; ord++) {
      parts[ord % 3]!.put({ ord, key: `k${ord}`, lang: 'en', addedAt: 1, updatedAt: 1, meta: { n: [String(ord)] } });
      versions.push(joined.version);
    }
    parts[1]!.remove(4);
    versions.push(joined.version);
    expect(new Set(versions).size).toBe(11);
    expect(joined.documents).toBe(8);
    expect(joined.columns.count(undefined)).toBe(8);
    expect(joined.columns.hasEach([4, 5])).toEqual([false, true]);
    expect(joined.bytes).toBe(parts.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it('may be in the memory of other nodes', async () => {
    const loopback = new Loopback();
    const parts = Array.from({ length: 3 }, () => new ColumnIndex(ColumnStore.create()));
    const links = parts.map(({ columns }) => loopback.add((method, args) => answerColumns(columns, method, args)));
    // The parts 0, 1 and 2 of 64; the first one is here.
    const joined = joinColumnIndexes([parts[0]!, ...links.slice(1).map(standInColumns)]);
    for (let i = 0; i < 9; i++) {
      const ord = (i % 3) * 1024 + i;
      parts[i % 3]!.put({ ord, key: `k${i}`, lang: 'en', addedAt: 1, updatedAt: 1, meta: { n: [String(i)] } });
    }
    const view = { indexOf: () => joined };
    const filter = parseFilter('n >= 4');
    let begun = 0;
    const find = () =>
      loopback.request(async () => {
        begun += 1;
        const found = await selectDocuments(view, 'blog', { filter, now: 5, hidden: [5 + 2048] });
        return [...found!.documents!, found!.isCurrent(), joined.documents];
      });
    expect(await find()).toEqual([6, 1028, 1031, 2056, true, 9]);
    // The stage is repeated alone.
    expect([begun, loopback.rounds]).toEqual([1, 2]);
    parts[1]!.remove(1028);
    expect(await find()).toEqual([6, 1031, 2056, true, 8]);
    await find();
    expect(loopback.rounds).toBe(1);
  });
});
