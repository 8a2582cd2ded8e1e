import { describe, expect, it } from 'vitest';
import { Archive } from './archive.ts';
import { docx, fault, zip } from './test-fixture.ts';

describe('an archive', () => {
  it('returns its entries one by one', async () => {
    const archive = new Archive(await zip({ 'a.txt': 'one', 'b/ü.txt': 'two'.repeat(1000) }));
    expect(archive.names).toEqual(['a.txt', 'b/ü.txt']);
    expect(archive.read('b/ü.txt')!.toString()).toBe('two'.repeat(1000));
    expect(archive.read('c')).toBeUndefined();
  });

  it('is refused when an entry unpacks to too much of its size', async () => {
    const archive = new Archive(await zip({ bomb: Buffer.alloc(20 * 2 ** 20) }));
    expect(() => archive.read('bomb')).toThrow(expect.objectContaining({ fault: 'too_large' }));
  });

  it('does not believe the sizes that it states', async () => {
    const bytes = Buffer.from(await zip({ bomb: Buffer.alloc(20 * 2 ** 20) }));
    const central = bytes.lastIndexOf('PK\x01\x02', undefined, 'latin1');
    bytes.writeUInt32LE(10, central + 24);
    expect(() => new Archive(bytes).read('bomb')).toThrow(expect.objectContaining({ fault: 'too_large' }));
  });

  it('is refused when its entries unpack to too much together', async () => {
    const noise = Buffer.alloc(50 * 2 ** 20, Buffer.from(Array.from({ length: 997 }, (_, i) => (i * i * 31) & 0xff)));
    const half = await zip({ noise });
    const packed = half.length;
    expect(packed * 200).toBeGreaterThan(noise.length);
    const archive = new Archive(await zip({ a: noise, b: noise, c: noise }));
    archive.read('a');
    archive.read('b');
    expect(() => archive.read('c')).toThrow(expect.objectContaining({ fault: 'too_large' }));
  });

  it('is refused with too many entries, cut off, or with a password', async () => {
    const entries = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [String(i), '']));
    const many = await zip(entries);
    expect(() => new Archive(many)).toThrow(expect.objectContaining({ fault: 'too_large' }));
    const whole = await docx('<w:p/>');
    expect(await fault(whole.subarray(0, whole.length - 30), 'a.docx')).toBe('damaged');
    const locked = Buffer.from(whole);
    for (let at = locked.indexOf('PK\x01\x02', 0, 'latin1'); at >= 0;
      at = locked.indexOf('PK\x01\x02', at + 1, 'latin1')) locked[at + 8]! |= 1;
    expect(await fault(locked, 'a.docx')).toBe('encrypted');
  });

  it('inside an archive stays packed', async () => {
    const inner = await zip({ bomb: Buffer.alloc(20 * 2 ** 20) });
    const outer = await zip({ 'word/document.xml': Buffer.from(inner) });
    expect(await fault(outer, 'a.docx')).toBe('damaged');
  });
});
