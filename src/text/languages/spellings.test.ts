import { describe, expect, it } from 'vitest';
import { spellingsOf } from './index.ts';

describe('spellingsOf', () => {
  it('adds accents to the ending of a word, two at most', () => {
    const { accented } = spellingsOf('pt')!;
    expect(accented('acao')).toContain('ação');
    expect(accented('configuracao')).toContain('configuração');
    expect(accented('acao')).not.toContain('áçáó');
    expect(accented('xyz')).toEqual([]);
  });

  it('replaces digraphs by the letters that they stand for, each or not, and letters by digraphs', () => {
    const { customary } = spellingsOf('de')!;
    expect(customary('mueller')).toEqual(['müller']);
    expect(customary('müller')).toEqual(['mueller']);
    expect(customary('goetheplaetze').sort()).toEqual(['goetheplätze', 'götheplaetze', 'götheplätze']);
    expect(customary('aeaeaeaeaeae')).toHaveLength(15);
    expect(spellingsOf('da')!.customary('aarhus')).toEqual(['århus']);
    expect(spellingsOf('es')!.customary('mueller')).toEqual([]);
  });

  it('adds the particles of Arabic, which are written together with the next word, and leaves them out', () => {
    const { customary } = spellingsOf('ar')!;
    expect(customary('جريمة')).toEqual(['بجريمه', 'لجريمه', 'فجريمه', 'كجريمه', 'وجريمه']);
    expect(customary('الجريمة')).toContain('بجريمه');
    expect(customary('بجريمة')).toContain('جريمة');
    expect(customary('تاب')).toEqual([]);
  });

  it('has none for a language that is stemmed without accents or not at all', () => {
    expect(spellingsOf('en')).toBeUndefined();
    expect(spellingsOf('xx')).toBeUndefined();
  });
});
