import { describe, expect, it } from 'vitest';
import { DecodedBodies } from './decoded-bodies.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('DecodedBodies', () => {
  it('knows a stored form again by its bytes, whichever buffer holds them', () => {
    const bodies = new DecodedBodies();
    bodies.set(bytes('stored'), { text: 'text' }, 4);
    expect(bodies.get(bytes('stored'))).toMatchObject({ text: 'text', utf8: undefined });
    expect(bodies.get(bytes('other'))).toBeUndefined();
  });

  it('does not return it for another form of the same checksum', () => {
    const bodies = new DecodedBodies();
    bodies.set(bytes('one 1234'), { text: 'one' }, 3);
    expect(bodies.get(bytes('two 1234'))).toBeUndefined();
  });

  it('evicts the least recently used when its memory is full', () => {
    const bodies = new DecodedBodies();
    const text = 'x'.repeat(4_000_000);
    for (let i = 0; i < 8; i++) bodies.set(bytes(`stored 00${i}`), { text }, Buffer.byteLength(text));
    bodies.get(bytes('stored 000'));
    bodies.set(bytes('stored 008'), { text }, Buffer.byteLength(text));
    expect(bodies.get(bytes('stored 000'))?.text).toBe(text);
    expect(bodies.get(bytes('stored 001'))).toBeUndefined();
  });

  it('counts both forms of a body', () => {
    const bodies = new DecodedBodies();
    const [text, utf8] = ['x'.repeat(4_000_000), Buffer.alloc(4_000_000)];
    for (let i = 0; i < 5; i++) bodies.set(bytes(`stored 00${i}`), { text, utf8 }, utf8.length);
    expect([0, 1, 2, 3, 4].filter((i) => bodies.get(bytes(`stored 00${i}`)) !== undefined)).toEqual([1, 2, 3, 4]);
  });

  it('leaves large bodies out', () => {
    const bodies = new DecodedBodies();
    bodies.set(Buffer.alloc(70_000), { text: 'text' }, 4);
    expect(bodies.get(Buffer.alloc(70_000))).toBeUndefined();
  });
});
