import { describe, expect, it } from 'vitest';
import { ColumnStore } from '../../search/columns/index.ts';
import { ColumnIndex, joinColumnIndexes } from './columns-view.ts';

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
    expect(joined.columns.has(4)).toBe(false);
    expect(joined.bytes).toBe(parts.reduce((sum, { bytes }) => sum + bytes, 0));
  });
});
