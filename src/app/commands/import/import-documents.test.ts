import { describe, expect, it } from 'vitest';
import { ServiceFailure } from '../shared/service-failure.ts';
import { type Batch, batches, type BatchResult, importDocuments, type ImportOptions } from './import-documents.ts';
import type { Source, SourceItem } from './source.ts';

const document = (n: number, contentMd = 'text'): SourceItem => ({
  kind: 'document',
  origin: `line ${n}`,
  position: n,
  document: { key: `k${n}`, lang: 'en', contentMd, meta: {} },
  sanitized: false,
  notes: [],
});

/** A source that records how far it was read. */
function numbered(count: number): Source & { read: number } {
  const source = {
    name: 'numbers',
    unit: 'files' as const,
    total: count,
    read: 0,
    async *items() {
      while (source.read < count) yield document(++source.read);
    },
  };
  return source;
}

const stored = (batch: Batch): BatchResult => ({
  added: batch.documents.length,
  updated: 0,
  skipped: 0,
  failed: 0,
  sanitized: 0,
  embeddingDropped: 0,
  reasons: [],
});

const options = (given: Partial<ImportOptions> = {}): ImportOptions => ({
  send: async (batch) => stored(batch),
  concurrency: 3,
  limits: { maxDocuments: 10, maxBytes: 1000 },
  retries: { attempts: 2, backoff: { initial: 1, max: 1 }, timer: { sleep: async () => undefined } },
  signal: new AbortController().signal,
  onProgress: () => undefined,
  ...given,
});

describe('batches', () => {
  async function* placed(texts: readonly string[]) {
    for (const [index, text] of texts.entries()) yield document(index, text) as SourceItem & { kind: 'document' };
  }
  const sizes = async (texts: readonly string[], maxDocuments: number, maxBytes: number): Promise<number[]> => {
    const found: number[] = [];
    for await (const batch of batches(placed(texts), { maxDocuments, maxBytes }, new AbortController().signal))
      found.push(batch.documents.length);
    return found;
  };

  it('end at the number of documents', async () => expect(await sizes(['', '', '', '', ''], 2, 99)).toEqual([2, 2, 1]));
  it('end at the bytes, counted in UTF-8', async () =>
    expect(await sizes(['aaaa', 'aaaa', 'éééé', 'a'], 9, 9)).toEqual([2, 2]));
  it('hold a document that is too large alone', async () =>
    expect(await sizes(['a', 'a'.repeat(50), 'a'], 9, 9)).toEqual([1, 1, 1]));
  it('are none for nothing', async () => expect(await sizes([], 2, 9)).toEqual([]));
});

describe('importDocuments', () => {
  it('sends everything once and reports how far it is', async () => {
    const keys: string[] = [];
    const progress: number[] = [];
    const result = await importDocuments(numbered(95), options({
      send: async (batch) => (keys.push(...batch.documents.map(({ key }) => key)), stored(batch)),
      onProgress: (position) => progress.push(position),
    }));
    expect(result).toMatchObject({ stoppedBy: undefined, reached: 'line 95' });
    expect(result.tally).toMatchObject({ added: 95, failed: 0, bytes: 95 * 4 });
    expect(keys.sort()).toEqual(Array.from({ length: 95 }, (_, i) => `k${i + 1}`).sort());
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(95);
  });

  it('has several batches under way, and reads no further than those need', async () => {
    const source = numbered(1000);
    let underWay = 0;
    let most = 0;
    await importDocuments(source, options({
      send: async (batch) => {
        most = Math.max(most, ++underWay);
        // Reading one more row shows that a batch is full.
        expect(source.read).toBeLessThanOrEqual((Number(batch.documents.at(-1)!.key.slice(1)) / 10 + 3) * 10 + 1);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        return stored(batch);
      },
    }));
    expect(most).toBe(3);
  });

  it('finishes what is under way when it is interrupted, and sends no more', async () => {
    const controller = new AbortController();
    let sentBatches = 0;
    const result = await importDocuments(numbered(1000), options({
      signal: controller.signal,
      send: async (batch) => {
        if (++sentBatches === 4) controller.abort();
        await new Promise((resolve) => setImmediate(resolve));
        return stored(batch);
      },
    }));
    expect(result.stoppedBy).toBe('signal');
    expect(result.tally.added).toBe(sentBatches * 10);
    expect(sentBatches).toBeLessThan(8);
  });

  it('ends when the service stays away', async () => {
    const failure = new ServiceFailure('cannot reach it');
    let attempts = 0;
    const result = await importDocuments(numbered(1000),
      options({ concurrency: 1, send: async () => (attempts++, Promise.reject(failure)) }));
    expect(result).toMatchObject({ stoppedBy: failure, reached: undefined });
    expect(attempts).toBe(2);
  });

  it('counts a batch that the service fails on, and goes on', async () => {
    const result = await importDocuments(numbered(30), options({
      send: async (batch) => (batch.position === 20 ? Promise.reject(new ServiceFailure('oops', 500)) : stored(batch)),
    }));
    expect(result.stoppedBy).toBeUndefined();
    expect(result.tally).toMatchObject({ added: 20, failed: 10, problems: ['line 11 to line 20: oops'] });
  });
});
