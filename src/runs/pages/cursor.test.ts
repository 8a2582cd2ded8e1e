import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor, pageSize, toPage } from './index.ts';

const RUN = /^[0-9a-f]{32}$/;
const runId = fc.stringMatching(RUN);

describe('cursors', () => {
  it('are the form of the decisions', () => {
    const id = '019b45a500007c3e9a41d2f0b6e85713';
    expect(encodeCursor({ at: 1766400000, id })).toBe('MToxNzY2NDAwMDAwOjAxOWI0NWE1MDAwMDdjM2U5YTQxZDJmMGI2ZTg1NzEz');
  });

  it('are read back as they were written', () => {
    fc.assert(fc.property(fc.nat({ max: 2 ** 40 }), runId, (at, id) => {
      expect(decodeCursor(encodeCursor({ at, id }), RUN)).toEqual({ at, id });
    }));
  });

  it('are refused in every other spelling', () => {
    const cursor = encodeCursor({ at: 1, id: 'a'.repeat(32) });
    const refused = [`${cursor}=`, cursor.slice(0, -1), `${cursor}A`, cursor.toUpperCase(), '', '!', 'MTox'];
    for (const text of refused) expect(() => decodeCursor(text, RUN), text).toThrow(/before must be/);
  });

  it.each(['2:1:%', '1:-1:%', '1:1.5:%', '1:01:%', '1::%', '1:1:%:', '1:9007199254740993:%', 'x1:1:%'])(
    'are refused with the content %s',
    (form) => {
      const text = Buffer.from(form.replace('%', 'a'.repeat(32))).toString('base64url');
      expect(() => decodeCursor(text, RUN)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }) as Error);
    },
  );

  it('return only invalid_cursor for forged cursors', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      try {
        expect(encodeCursor(decodeCursor(text, RUN))).toBe(text);
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_cursor' });
      }
    }));
  });
});

describe('pages', () => {
  it('name the next one exactly when there is more', () => {
    fc.assert(fc.property(fc.array(runId, { maxLength: 12 }), fc.integer({ min: 1, max: 10 }), (ids, size) => {
      const page = toPage(ids, size, (id) => ({ at: 1, id }));
      expect(page.entries).toEqual(ids.slice(0, size));
      expect(page.next_cursor).toBe(ids.length > size ? encodeCursor({ at: 1, id: ids[size - 1]! }) : null);
    }));
  });

  it('take more than 100 as 100', () => {
    expect([1, 100, 101, 2 ** 31].map(pageSize)).toEqual([1, 100, 100, 100]);
  });
});
