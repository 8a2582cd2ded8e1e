import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIntact, openObject, sealObject } from './body-place.ts';

const SECRET = Buffer.alloc(32, 7);

describe('the object of a record', () => {
  it('opens again, with its own key alone', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 4096 }), async (record) => {
      const { bytes, hash, key } = await sealObject(record, SECRET);
      expect(await isIntact(bytes, hash)).toBe(true);
      expect(Buffer.from(await openObject(bytes, key)).equals(record)).toBe(true);
      await expect(openObject(bytes, Buffer.alloc(32, 1))).rejects.toMatchObject({ code: 'internal' });
    }), { numRuns: 50 });
  });

  it('is the same for the same record and secret, another for another secret, and opens over several steps', async () => {
    const record = Buffer.alloc(3 * 2 ** 20 + 5, 'x');
    const [one, two, other] = await Promise.all([sealObject(record, SECRET), sealObject(record, SECRET),
      sealObject(record, Buffer.alloc(32, 8))]);
    expect(Buffer.from(one.hash).equals(two.hash)).toBe(true);
    expect(Buffer.from(one.hash).equals(other.hash)).toBe(false);
    expect(Buffer.from(await openObject(one.bytes, one.key)).equals(record)).toBe(true);
  });

  it('is refused when a bit is another, or when it is cut', async () => {
    const { bytes, hash, key } = await sealObject(Buffer.from('a record'), SECRET);
    for (const at of [0, 9, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(await isIntact(changed, hash)).toBe(false);
      await expect(openObject(changed, key)).rejects.toMatchObject({ code: 'internal' });
    }
    await expect(openObject(bytes.subarray(0, 20), key)).rejects.toMatchObject({ code: 'internal' });
  });
});
