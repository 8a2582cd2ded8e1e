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

  const japanese = '会議の議事録をここに残します。次回は三月です。';
  const inShiftJis = Buffer.from(
    '89ef8b6382cc8b638e96985e82f082b182b182c98e6382b582dc82b781428e9f89f182cd8e4f8c8e82c582b78142',
    'hex',
  );

  it.each([['Shift_JIS', inShiftJis, 'shift_jis', japanese], ['Shift_JIS that claims to be UTF-8', inShiftJis,
    'shift_jis', japanese], ['GB18030', Buffer.from('c7ebd4dacfc2d6dcd6aec7b0cce1bdbbbbe1d2e9b1a8b8e6a1a3', 'hex'),
    'gb18030', '请在下周之前提交会议报告。'], ['Big5',
    Buffer.from('bdd0a662a455b667a4a7ab65b4a3a5e6b77cc4b3b3f8a769a143', 'hex'), 'big5', '請在下週之前提交會議報告。'], [
    'EUC-KR',
    Buffer.from('b4d9c0bd20c8b8c0c7b4c220bbefbff9bfa120c0d6bdc0b4cfb4d92e', 'hex'),
    'euc-kr',
    '다음 회의는 삼월에 있습니다.',
  ], ['windows-1251', Buffer.from('ddf2ee20eff0eef2eeeaeeeb20f1eee1f0e0ede8ff2e', 'hex'), 'windows-1251',
    'Это протокол собрания.'], [
    'KOI8',
    Buffer.from('fcd4cf20d0d2cfd4cfcbcfcc20d3cfc2d2c1cec9d12e', 'hex'),
    'koi8-u',
    'Это протокол собрания.',
  ], ['ISO-2022-JP', Buffer.from('\x1b$B2q5D$N\x1b(B', 'latin1'), 'iso-2022-jp', '会議の'], [
    'UTF-16 without a mark',
    Buffer.from('Grüße\n', 'utf16le'),
    'utf-16le',
    'Grüße\n',
  ], [
    'Chinese UTF-16 without a mark or a space',
    Buffer.from('下次会议在三月。', 'utf16le').swap16(),
    'utf-16be',
    '下次会议在三月。',
  ], ['a few letters among much English', Buffer.concat([
    Buffer.from('INFO request done in 12 ms\n'.repeat(200)),
    inShiftJis,
  ]), 'shift_jis', 'INFO request done in 12 ms\n'.repeat(200) + japanese]])('is detected, and a warning names it: %s',
    (_, content, encoding, text) => {
      expect(decodeText(content, 'utf-8')).toEqual({
        text,
        encoding,
        repaired: 0,
        warnings: [`The file does not say its encoding; it was read as ${encoding}.`],
      });
    });

  it('is in the media type', () => {
    expect(charsetOf('text/html; charset="ISO-8859-2"')).toBe('ISO-8859-2');
    expect(charsetOf('text/html')).toBeUndefined();
  });
});
