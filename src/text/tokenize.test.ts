import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookUp, TokenClass, tokenTables } from './token-tables.ts';
import { formsOf, MAX_TOKEN_BYTES, tokenize } from './tokenize.ts';

/** Texts with many difficult elements: marks, joiners, scripts without spaces, surrogates, invisible characters. */
const hostileText = fc.array(
  fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom("don't", '3.14', "'", '.', '’', 'e\u0301', 'H\u0331', '\u200b', '\u00ad', '\u200d', '日本語', 'ไทย',
      'ｶﾞ', 'İI', 'ﬃ', '각', '\ud800', '١٢', ' ', 'c++', 'c#', '+', '#', '.NET', 'ASP.NET', '.net', 'a'.repeat(300))),
  { maxLength: 12 },
).map((parts) => parts.join(''));

describe('tokenize', () => {
  it.each([['words, and punctuation!', ['words', 'and', 'punctuation']], ['snake_case kebab-case a/b', ['snake', 'case',
    'kebab', 'case', 'a', 'b']], ["don't l’avion Lucene's 'quoted' rock'n'roll 90's", ["don't", "l'avion", "lucene's",
    'quoted', "rock'n'roll", '90', 's']], ['3.14, 2.15.4. Then .5 and v1.2 or a.b 1,000', ['3.14', '2.15.4', 'then',
    '5', 'and', 'v1.2', 'or', 'a', 'b', '1', '000']], ['h2o 3d H₂O x²', ['h2o', '3d', 'h2o', 'x2']], ['½ ⒈ (c) © 🚀 ™',
    ['c']], ['C++ c# F#, (g++) C/C++. a+b i++; c+++ c## x#top c++11 ab++ 1# é# c#é', ['c++', 'c#', 'f#', 'g++', 'c',
    'c++', 'a', 'b', 'i++', 'c', 'c', 'x', 'top', 'c', '11', 'ab', '1', 'é', 'c', 'é']], [
    ".NET (.NET) ASP.NET's C#.NET. .NET5 .Net .net's Math.PI x.NET 3.NET ..NET U.S.A .NETÉ",
    ['.net', '.net', 'asp', ".net's", 'c#', '.net', 'net5', '.net', ".net's", 'math', 'pi', 'x', 'net', '3', 'net',
      'net', 'u', 's', 'a', 'neté'],
  ], ['.net (.Net) x.net A.net *.net my-.net /.net ..net .network .net5 .nEt', ['.net', '.net', 'x', 'net', 'a', 'net',
    'net', 'my', 'net', 'net', 'net', 'network', 'net5', 'net']], ['', []]])('splits %j by its rule',
      (text, forms) => expect(formsOf(text)).toEqual(forms));

  it.each([['Straße STRASSE ẞ', ['strasse', 'strasse', 'ss']], ['ΟΔΟΣ οδός Οδος', ['οδοσ', 'οδόσ', 'οδοσ']], [
    'İstanbul ılık',
    ['istanbul', 'ılık'],
  ], ['ﬁne ｆｕｌｌ Ⅷ ǅ', ['fine', 'full', 'viii', 'dž']], ['٣٫١ १२', ['3', '1', '12']], ['Über NAÏVE Łódź', ['über',
    'naïve', 'łódź']], ['co\u00adop zero\u200dwidth split\u200bhere', ['coop', 'zerowidth', 'split', 'here']]])(
      'folds %j and keeps diacritics',
      (text, forms) => expect(formsOf(text)).toEqual(forms),
    );

  it('gives composed and decomposed spellings one form', () => {
    for (const word of ['été', 'Ångström', 'Việt', 'й', '한국어', 'மொழி', 'ガギグ']) {
      expect(formsOf(word.normalize('NFD')), word).toEqual(formsOf(word.normalize('NFC')));
    }
  });

  it('segments scripts written without spaces', () => {
    expect(formsOf('日本語の検索エンジン')).toEqual(['日本語', 'の', '検索', 'エンジン']);
    expect(formsOf('我们喜欢全文搜索iPhone手机，2024年。')).toEqual(['我们', '喜欢', '全文', '搜索', 'iphone', '手机',
      '2024', '年']);
    expect(formsOf('ภาษาไทยไม่มีช่องว่าง')).toEqual(['ภาษา', 'ไทย', 'ไม่มี', 'ช่อง', 'ว่าง']);
  });

  it('keeps words whole in scripts with vowel signs', () => {
    expect(formsOf('தமிழ் மொழி हिन्दी भाषा')).toEqual(['தமிழ்', 'மொழி', 'हिन्दी', 'भाषा']);
    expect(formsOf('كُتُبٌ عربية')).toEqual(['كُتُبٌ', 'عربية']);
  });

  it('returns offsets in UTF-8 bytes and positions in order', () => {
    expect(tokenize('é 日本語の 🚀 ok')).toEqual([{ start: 0, end: 2, form: 'é', position: 0 }, {
      start: 3,
      end: 12,
      form: '日本語',
      position: 1,
    }, { start: 12, end: 15, form: 'の', position: 2 }, { start: 21, end: 23, form: 'ok', position: 3 }]);
  });

  it('cuts words that are too long at a character boundary', () => {
    const tokens = tokenize('é'.repeat(300));
    expect(tokens.map(({ start, end }) => [start, end])).toEqual([[0, 256], [256, 512], [512, 600]]);
    expect(tokenize('a'.repeat(255) + 'é').map(({ form }) => form.length)).toEqual([255, 1]);
  });

  it('holds its invariants on any text', () => {
    fc.assert(fc.property(hostileText, (text) => {
      const bytes = Buffer.from(text);
      let before = 0;
      for (const [i, { start, end, form, position }] of tokenize(text).entries()) {
        expect(position).toBe(i);
        expect(start).toBeGreaterThanOrEqual(before);
        expect(end).toBeGreaterThan(start);
        expect(form).not.toBe('');
        expect(Buffer.byteLength(form)).toBeLessThanOrEqual(3 * (end - start));
        // Cuts are at character boundaries: the slice decodes without a replacement character.
        expect(bytes.subarray(start, end).toString()).not.toContain('\ufffd');
        before = end;
      }
      expect(before).toBeLessThanOrEqual(bytes.length);
    }), { numRuns: 300 });
  });

  it('finds in a form of a script with spaces that form alone', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme-composite', maxLength: 12 }), (text) => {
      // A piece from the segmenter may begin with a code point that starts no word elsewhere;
      // numbers that fold to digits, such as ㊱, count as letters next to an apostrophe, but their forms do not.
      fc.pre(!/\p{No}[\p{M}\p{DI}]*['’ʼ＇]|['’ʼ＇]\p{No}/u.test(text));
      fc.pre(!/[\p{scx=Han}\p{scx=Kana}\p{scx=Hira}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u.test(text));
      for (const { form, end, start } of tokenize(text)) {
        const longer = Buffer.byteLength(form) > Math.min(MAX_TOKEN_BYTES, end - start);
        if (!longer) expect(formsOf(form)).toEqual([form]);
      }
    }), { numRuns: 300 });
  });

  it('takes time in proportion to the text', () => {
    for (const unit of ['a', "a'", '1.', '日本', 'e\u0301', '\u0301', '\u200d', 'ไทย']) {
      expect(tokenize(unit.repeat(50_000)).length, unit).toBeLessThan(110_000);
    }
  });
});

describe('tokenTables', () => {
  it('are small, and know a lower case for every letter that has one', () => {
    const tables = tokenTables();
    expect(tables.index.length).toBe(8704);
    expect(tables.blocks.byteLength).toBeLessThan(160 * 1024);
    for (let c = 0x41; c < 0x3_0000; c++) {
      if (c >= 0xd800 && c < 0xe000) continue;
      const letter = String.fromCodePoint(c);
      if (!/\p{L}/u.test(letter) || letter === letter.toLowerCase() || letter === 'İ') continue;
      expect(formsOf(letter), letter).toEqual(formsOf(letter.toLowerCase()));
    }
  });

  it('compose nothing in a text of letters alone, so that no form of them needs NFC', () => {
    const tables = tokenTables();
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
      const composes = [...text].some((c) => lookUp(tables, c.codePointAt(0)!) >>> 24 >= TokenClass.extend);
      if (!composes) { for (const form of formsOf(text)) expect(form).toBe(form.normalize('NFC')); }
    }));
  });
});
