import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { DocumentCache } from './document-cache.ts';

const DOCUMENT = parse('{ a }');

describe('the cache of documents', () => {
  it('keeps what was used last, within its number and its bytes', () => {
    const step = fc.record({
      text: fc.integer({ min: 0, max: 12 }),
      nodes: fc.integer({ min: 0, max: 12 }),
      get: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 3000, max: 12_000 }), (steps, maxEntries, maxBytes) => {
        const cache = new DocumentCache(maxEntries, maxBytes);
        // Texts with their bytes, the most recently used one last.
        let kept: [string, number][] = [];
        for (const { text, nodes, get } of steps) {
          const name = `q${text}`;
          const known = kept.find(([each]) => each === name);
          if (get) {
            expect(cache.get(name) !== undefined).toBe(known !== undefined);
            if (known) kept = [...kept.filter((each) => each !== known), known];
            continue;
          }
          const bytes = name.length * 2 + nodes * 300;
          cache.set(name, DOCUMENT, nodes);
          if (bytes > maxBytes / 10) continue;
          kept = [...kept.filter((each) => each !== known), [name, bytes]];
          while (kept.length > maxEntries || kept.reduce((sum, [, size]) => sum + size, 0) > maxBytes) kept.shift();
        }
        expect(cache.size).toBe(kept.length);
        for (const [name] of kept) expect(cache.get(name)).toBe(DOCUMENT);
      }),
    );
  });
});
