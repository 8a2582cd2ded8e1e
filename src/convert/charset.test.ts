import { describe, expect, it } from 'vitest';
import { charsetOf, decodeText } from './charset.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('the encoding of a text', () => {
  it.each([['UTF-8', Buffer.from('Grüße'), undefined, 'Grüße', 0], ['a byte order mark over what is named',
    Buffer.from('\ufeffGrüße'), 'windows-1252', 'Grüße', 0], ['UTF-16 by its mark',
    Buffer.from('\ufeffGrüße', 'utf16le'), undefined, 'Grüße', 0], ['valid UTF-8 over what is named',
    Buffer.from('Grüße'), 'iso-8859-1', 'Grüße', 0], ['a named one', bytes(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2),
    'windows-1251', 'Привет', 0], ['windows-1252 when none is named', bytes(0x47, 0x72, 0xfc, 0xdf, 0x65, 0x80),
    undefined, 'Grüße€', 0], ['UTF-8 that is cut off', Buffer.from('Grüße, schöne Grüße, ü').subarray(0, -1), undefined,
    'Grüße, schöne Grüße, \ufffd', 1], ['an unknown name', Buffer.from('abc'), 'klingon', 'abc', 0]])('%s',
      (_, content, named, text, repaired) => {
        expect(decodeText(content, named)).toMatchObject({ text, repaired });
      });

  it('is in the media type', () => {
    expect(charsetOf('text/html; charset="ISO-8859-2"')).toBe('ISO-8859-2');
    expect(charsetOf('text/html')).toBeUndefined();
  });
});
