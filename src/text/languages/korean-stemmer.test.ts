import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzerFor } from './index.ts';
import { stemKorean } from './korean-stemmer.ts';

/** Forms of one word in each line. */
const PARADIGMS = `
서울 서울은 서울을 서울에서 서울에서는 서울의 서울로 서울까지 서울이
학교 학교에 학교를 학교가 학교는 학교에서 학교로 학교들 학교에도 학교와 학교만
컴포넌트 컴포넌트의 컴포넌트를 컴포넌트에서 컴포넌트는 컴포넌트로 컴포넌트들을
관리 관리를 관리합니다 관리하는 관리한 관리하다 관리했다 관리하고 관리해야 관리하기
설정 설정을 설정된 설정되었습니다 설정합니다 설정하면 설정은 설정이 설정과 설정으로
함수 함수를 함수는 함수가 함수의 함수입니다 함수이다
국가 국가는 국가가 국가의
고양이 고양이는 고양이가 고양이를
나라 나라가 나라는 나라의
집 집에서 집은 집을
react react는 react를 react의 react에서
`.trim().split('\n').map((line) => line.split(' '));

describe('stemKorean', () => {
  it.each(PARADIGMS)('gives all forms of %s one stem', (...forms) => {
    expect(new Set(forms.map(stemKorean)).size).toBe(1);
  });

  it('gives different words different stems', () => {
    const stems = PARADIGMS.map(([word]) => stemKorean(word!));
    expect(new Set(stems).size).toBe(stems.length);
  });

  it('keeps syllables that only look like a particle', () => {
    for (const word of ['국가', '평가', '마음', '가을', '회의', '나라', '바다', '종이', '나', '너는'])
      expect(stemKorean(word)).toBe(word);
  });

  it('is used for Korean words in the texts of every language, and the language for what is left', () => {
    for (const lang of ['en', 'de', 'pl']) {
      const { term } = analyzerFor(lang, { stemming: true, stopWords: 'none' });
      expect(term('서울에서')).toBe('서울');
    }
    expect(analyzerFor('en', { stemming: true, stopWords: 'none' }).term('components의')).toBe('compon');
  });

  it('returns a stem that begins the word, and is never empty', () => {
    const syllable = fc.integer({ min: 0xac00, max: 0xd7a3 }).map((code) => String.fromCharCode(code));
    const word = fc.array(fc.oneof(syllable, fc.constantFrom('은', '는', '이', '하', '다', '니', 'a', '1')), {
      minLength: 1,
    }).map((letters) => letters.join(''));
    fc.assert(fc.property(word, (whole) => {
      const stem = stemKorean(whole);
      expect(stem).not.toBe('');
      expect(whole.startsWith(stem)).toBe(true);
    }));
  });
});
