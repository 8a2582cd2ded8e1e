import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../text/languages/index.ts';
import { remembering, STEMMING_ANALYZERS } from './analyzers.ts';
import { classOfDocument, languageOfClass } from './document-classes.ts';

describe('the cache of an analyzer', () => {
  it('keeps the words of searches while an import analyses many others', () => {
    const analysed: string[] = [];
    const { term, termOnce } = remembering((form) => (analysed.push(form), form.slice(0, 4)));
    expect(term('walking')).toBe('walk');
    for (let i = 0; i < 10_000; i++) expect(termOnce(`word${i}`)).toBe('word');
    expect(term('walking')).toBe('walk');
    expect(analysed.filter((form) => form === 'walking')).toHaveLength(1);
  });

  it('is bounded', () => {
    const analysed: string[] = [];
    const { term } = remembering((form) => (analysed.push(form), form));
    for (let i = 0; i < 10_000; i++) term(`word${i % 5000}`);
    expect(analysed.length).toBeGreaterThan(5000);
  });

  it('does not change the terms of a language', () => {
    for (const { term, termOnce } of STEMMING_ANALYZERS)
      for (const form of ['walking', 'écrire', 'слова']) expect(termOnce!(form)).toBe(term(form));
  });
});

it('has a class of documents for each language', () => {
  const found = LANGUAGES.map(({ code }) => languageOfClass(classOfDocument({ key: 'a', lang: code, meta: {} })));
  expect(found).toEqual(LANGUAGES.map(({ code }) => code));
});
