import { describe, expect, it } from 'vitest';
import { isParticleAt, japaneseVariants } from './japanese.ts';

const begins = (word: string) => japaneseVariants(word).map(({ text }) => text);

describe('japaneseVariants', () => {
  it('has the beginnings of the inflections of a verb or adjective, also of an inflected one', () => {
    expect(begins('呼び出す')).toEqual(expect.arrayContaining(['呼び出さ', '呼び出し']));
    expect(begins('呼び出されます')).toContain('呼び出す');
    expect(begins('書く')).toContain('書い');
    expect(begins('書いた')).toContain('書く');
    expect(begins('食べました')).toContain('食べ');
    expect(begins('見る')).toContain('見た');
    expect(begins('高い')).toContain('高く');
  });

  it('has a loan word without the mark of its long last vowel, as a whole', () => {
    expect(japaneseVariants('サーバー')).toEqual([{ text: 'サーバ', whole: true }]);
    expect(japaneseVariants('エラー')).toEqual([]);
  });

  it('has none for nouns, and for kanji with a particle', () => {
    for (const word of ['設定', '設定は', 'サーバ', 'これ', '公司', 'ไทย', 'word']) expect(begins(word)).toEqual([]);
  });
});

describe('isParticleAt', () => {
  const particles = (text: string) => [...text].filter((_, i) => isParticleAt([...text], i)).join('');

  it('finds particles behind and before kanji, not hiragana of words', () => {
    expect(particles('型の')).toBe('の');
    expect(particles('呼び出されるのは')).toBe('のは');
    expect(particles('見に行く')).toBe('に');
    expect(particles('落とし込む')).toBe('');
  });
});
