import { describe, expect, it } from 'vitest';
import { segmentOf } from '../../testkit/inverted/cases.ts';
import { type FieldText, IndexFullError, InvertedIndex, MAX_SEGMENT_DOCUMENTS, SegmentBuilder } from './index.ts';

// `inverted-index.test.ts` compares merged segments with the reference, among all other changes.

const STEMMER = { name: 'test', term: (form: string) => form.replace(/s$/, '') };
const content = (text: string): readonly FieldText[] => [{ field: 0, text }];
const documentsOf = (texts: readonly string[]) =>
  texts.map((text) => ({ fields: [...content(text)], documentClass: 0 }));

/** A text of words, of which some are frequent and others occur once. */
function textOf(i: number): string {
  return Array.from({ length: 40 }, (_, k) => ((i * 31 + k * 17) % 5 === 0 ? `w${i * 40 + k}` : `f${(i + k * k) % 30}`))
    .join(' ');
}

describe.each(['release', 'debug'] as const)('a segment, in the %s build', (build) => {
  it('leaves the same index as its documents one by one, with full blocks, new names and stems', async () => {
    const [merged, added] = [new InvertedIndex({ build }), new InvertedIndex({ build })];
    for (let first = 0; first < 500; first += 125) {
      const documents = Array.from({ length: 125 }, (_, i) => ({
        fields: [{ field: 0, text: textOf(first + i) }, { field: 1, text: 'titles' }, {
          field: `name${first}`,
          text: 'cows naïve',
        }],
        documentClass: i % 3,
      }));
      const ords = documents.map((_, i) => first + i);
      const addition = merged.beginMerge(ords, segmentOf(merged, documents, build), [STEMMER])!;
      while (addition.step(0, () => 0));
      for (const [i, { fields, documentClass }] of documents.entries())
        added.add(ords[i]!, fields, STEMMER, documentClass);
    }
    expect(merged.stats()).toMatchObject({ documents: 500, forms: added.stats().forms, tokens: added.stats().tokens });
    expect(merged.fieldNames).toEqual(added.fieldNames);
    expect(merged.group(STEMMER, 'cow').map((form) => merged.textOf(form))).toEqual(['cows']);
    for (const form of ['f1', 'f7', 'w0', 'titles', 'naïve']) {
      const results = [merged, added].map((index) =>
        index.search({ kind: 'term', forms: [{ id: index.form(form)! }] }, { algorithm: { kind: 'bm25' }, limit: 500 })
      );
      expect(results[0]).toEqual(results[1]);
      expect(merged.form(form)).toBe(added.form(form));
    }
  });

  it('replaces former documents, also of itself', () => {
    const index = new InvertedIndex({ build });
    index.add(3, content('old'));
    index.beginMerge([3, 4, 4], segmentOf(index, documentsOf(['new', 'first', 'second']), build))!.step(Infinity);
    const documents = (form: string) => index.documents(index.form(form)!);
    expect(['old', 'new', 'first', 'second'].map(documents)).toEqual([0, 1, 0, 1]);
    expect(index.size).toBe(2);
  });

  it('does not fit an index whose named fields have other numbers', () => {
    const index = new InvertedIndex({ build });
    const segment = segmentOf(index, [{ fields: [{ field: 'author', text: 'ant' }], documentClass: 0 }], build);
    index.add(1, [{ field: 'status', text: 'draft' }]);
    expect(index.beginMerge([2], segment)).toBeUndefined();
    expect([index.size, index.fieldNames]).toEqual([1, ['status']]);
    const next = segmentOf(index, [{ fields: [{ field: 'author', text: 'ant' }], documentClass: 0 }], build);
    index.beginMerge([2], next)!.step(Infinity);
    expect(index.fieldNames).toEqual(['status', 'author']);
    expect(index.documents(index.form('ant')!, 'author')).toBe(1);
  });

  it('is not made of documents that are too large, and of others afterwards', () => {
    const builder = new SegmentBuilder(build);
    builder.begin([]);
    builder.add(content('the '.repeat(20_000)), 0);
    expect(builder.finish()).toBeUndefined();
    builder.begin([]);
    builder.add(content(Array.from({ length: 11_000 }, (_, i) => `w${i}`).join(' ')), 0);
    expect(builder.finish()).toBeUndefined();
    builder.begin([]);
    for (let i = 0; i < MAX_SEGMENT_DOCUMENTS; i++) builder.add(content('ant'), 0);
    expect(() => builder.add(content('ant'), 0)).toThrow(/at most 127/);
    const index = new InvertedIndex({ build });
    index.beginMerge(Array.from({ length: MAX_SEGMENT_DOCUMENTS }, (_, i) => i), builder.finish()!)!.step(Infinity);
    expect(index.documents(index.form('ant')!)).toBe(MAX_SEGMENT_DOCUMENTS);
  });

  it('is refused with ordinals that do not fit, and by a full index', () => {
    const index = new InvertedIndex({ build });
    const segment = segmentOf(index, documentsOf(['ant', 'bee']), build);
    expect(() => index.beginMerge([1], segment)).toThrow(/2 documents/);
    expect(() => index.beginMerge([1, -1], segment)).toThrow(RangeError);
    expect(index.size).toBe(0);
    const small = new InvertedIndex({ build, maxBytes: 1 << 20 });
    expect(() =>
      small.beginMerge([1, 2], segmentOf(small, documentsOf(['ant', Array.from({ length: 9000 }, (_, i) =>
        `w${i}`).join(' ')]), build))
    ).toThrow(IndexFullError);
  });
});
