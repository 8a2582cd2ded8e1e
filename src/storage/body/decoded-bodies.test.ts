import { describe, expect, it } from 'vitest';
import { DecodedBodies } from './decoded-bodies.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('DecodedBodies', () => {
  it('knows a stored form again by its bytes, whichever buffer holds them', () => {
    const bodies = new DecodedBodies();
    bodies.set(bytes('stored'), 'text');
    expect(bodies.get(bytes('stored'))).toBe('text');
    expect(bodies.get(bytes('other'))).toBeUndefined();
  });

  it('does not answer for another form of the same checksum', () => {
    const bodies = new DecodedBodies();
    // Two texts with one CRC-32.
    bodies.set(bytes('plumless'), 'one');
    expect(bodies.get(bytes('buckeroo'))).toBeUndefined();
  });

  it('forgets what was used longest ago when its memory is full', () => {
    const bodies = new DecodedBodies();
    const text = 'x'.repeat(4_000_000);
    for (let i = 0; i < 8; i++) bodies.set(bytes(`stored ${i}`), text);
    bodies.get(bytes('stored 0'));
    bodies.set(bytes('stored 8'), text);
    expect(bodies.get(bytes('stored 0'))).toBe(text);
    expect(bodies.get(bytes('stored 1'))).toBeUndefined();
  });

  it('leaves large bodies out', () => {
    const bodies = new DecodedBodies();
    bodies.set(Buffer.alloc(70_000), 'text');
    expect(bodies.get(Buffer.alloc(70_000))).toBeUndefined();
  });
});
