import { describe, expect, it } from 'vitest';
import { foldDiacritics } from './folding.ts';

describe('foldDiacritics', () => {
  it.each([['naïve', 'naive'], ['łódź', 'lodz'], ['smørrebrød', 'smorrebrod'], ['cœur', 'coeur'], ['ækvator',
    'aekvator'], ['đà', 'da'], ['ışık', 'isik'], ['việt', 'viet'], ['οδόσ', 'οδοσ'], ['ascii', 'ascii'], ['', '']])(
      'folds %s to %s',
      (form, folded) => expect(foldDiacritics(form)).toBe(folded),
    );

  it('keeps what makes another letter: Cyrillic й, ї, ў; but ё is commonly written е', () => {
    expect(['мой', 'їжак', 'ўсё', 'ёлка', 'за\u0301мок'].map(foldDiacritics)).toEqual(['мой', 'їжак', 'ўсе', 'елка',
      'замок']);
  });

  it('drops harakat, tatweel and niqqud, and unites the letters that Arabic writers exchange', () => {
    expect(['كُتُبٌ', 'كتـــاب', 'أحمد', 'مدرسة', 'מֶלֶךְ'].map(foldDiacritics)).toEqual(['كتب', 'كتاب', 'احمد', 'مدرسه',
      'מלך']);
  });

  it('leaves vowel signs, kana voicing and Hangul alone', () => {
    for (const word of ['தமிழ்', 'हिंदी', 'がぎぐ', '한국어', 'ไม่มี']) expect(foldDiacritics(word)).toBe(word);
  });

  it('unites nasals and drops the nukta of Devanagari, which writers leave out', () => {
    expect(['हिन्दी', 'सम्बन्ध', 'भाषाएँ', 'क़ानून', 'जन्म'].map(foldDiacritics)).toEqual(['हिंदी', 'संबंध', 'भाषाएं', 'कानून',
      'जन्म']);
  });

  it('replaces traditional Chinese characters', () => {
    expect(['數據庫', '数据库', '發髮', '乾燥', '臺灣'].map(foldDiacritics)).toEqual(['数据库', '数据库', '发发',
      '干燥', '台湾']);
    expect(foldDiacritics(foldDiacritics('薴'))).toBe(foldDiacritics('薴'));
  });
});
