import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WikiDocument } from '../../../convert/wiki/index.ts';
import { documentsOf, packBatch, USUAL_BYTES } from './packed-batch.ts';

const document = fc.record({
  key: fc.string({ unit: 'binary' }),
  contentMd: fc.string({ unit: 'binary' }),
  meta: fc.dictionary(fc.string(), fc.array(fc.string({ unit: 'binary' }))),
  redirect: fc.string(),
  problem: fc.string(),
}, { requiredKeys: ['key', 'contentMd', 'meta'], noNullPrototype: true });

const page = (contentMd: string): WikiDocument => ({ key: 'Page', contentMd, meta: { wiki_id: ['7'] } });
const batch = (documents: readonly WikiDocument[]) => ({
  documents,
  skipped: 2,
  indexes: documents.map((_, i) => i + 5),
});

describe('a packed batch', () => {
  it('has the documents that were packed, in order', () => {
    fc.assert(fc.property(fc.array(document), (documents) => {
      const packed = packBatch(batch(documents), new Uint8Array(16));
      expect([...documentsOf(packed)]).toEqual(documents);
      expect(packed).toMatchObject({ skipped: 2, indexes: documents.map((_, i) => i + 5) });
    }));
  });

  it('uses the bytes of an earlier batch, unless a page needs more', () => {
    const free = new Uint8Array(USUAL_BYTES);
    expect(packBatch(batch([page('one'), page('two')]), free).bytes).toBe(free);
    const large = page('ü'.repeat(USUAL_BYTES));
    const packed = packBatch(batch([page('one'), large]), free);
    expect(packed.bytes.length).toBeGreaterThan(USUAL_BYTES);
    expect([...documentsOf(packed)]).toEqual([page('one'), large]);
  });

  it('replaces what is not valid Unicode in a content', () => {
    expect([...documentsOf(packBatch(batch([page('a\ud800b')])))]).toEqual([page('a\ufffdb')]);
  });

  it('has no documents once its bytes are handed back', () => {
    const packed = packBatch(batch([page('one')]));
    structuredClone(packed.bytes, { transfer: [packed.bytes.buffer] });
    expect(() => [...documentsOf(packed)]).toThrow();
  });
});
