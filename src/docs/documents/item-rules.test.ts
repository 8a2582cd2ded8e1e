import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createAjv } from '../../operations/index.ts';
import { itemProblem } from './item-rules.ts';

const inputs = JSON.parse(
  readFileSync(new URL('../../../generated/docs/inputs.json', import.meta.url), 'utf8'),
) as Record<string, object>;

describe('itemProblem', () => {
  const accepts = createAjv().compile(inputs['addDocument']!);
  const text = (max: number) =>
    fc.oneof(fc.string({ maxLength: 4, unit: 'binary' }),
      fc.constantFrom('', '|', '\x7f', 'ä'.repeat(max / 2), 'ä'.repeat(max / 2) + 'a', 'a'.repeat(max + 1)));

  it('refuses exactly what the specification of /v1/add refuses (decision D-30, limits of decisions section 8)', () => {
    const meta = fc.dictionary(text(1024),
      fc.oneof(fc.array(text(8192), { maxLength: 2 }),
        fc.constantFrom(Array<string>(1000).fill('v'), Array<string>(1001).fill('v'))), { maxKeys: 3 });
    const item = fc.record({
      key: text(1024),
      contentMd: fc.string(),
      meta,
      lang: fc.oneof(fc.constantFrom('en', 'en_GB', 'e n', 'x'.repeat(35), 'x'.repeat(36), ''),
        fc.string({ maxLength: 3 })),
      ttl: fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom(315_360_000_000, 315_360_000_001)),
    }, { requiredKeys: [] });
    fc.assert(fc.property(item, (value) => {
      expect(itemProblem(value) === undefined).toBe(accepts({ collection: 'blog', ...structuredClone(value) }));
    }), { numRuns: 300 });
  });

  it('counts the keys of the metadata', () => {
    const meta = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, []]));
    const item = { key: 'k', lang: 'en', contentMd: '' };
    expect(itemProblem({ ...item, meta: meta(256) })).toBeUndefined();
    expect(itemProblem({ ...item, meta: meta(257) })).toBe('meta must have at most 256 keys');
  });
});
