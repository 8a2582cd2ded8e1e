import { describe, expect, it } from 'vitest';
import { usualSpelling } from './english-spellings.ts';
import { analyzerFor } from './index.ts';

const { term } = analyzerFor('en', { stemming: true, stopWords: 'none' });

describe('usualSpelling', () => {
  it.each(['index indices indexes', 'child children', 'mouse mice', 'dormouse dormice', 'woman women', 'person people',
    'criterion criteria', 'vertex vertices', 'bacterium bacteria', 'radius radii', 'formula formulae formulas',
    'leaf leaves', 'wolf wolves', 'foot feet', 'crisis crises', 'axis axes', 'bus buses', 'specimen specimens'])(
      'gives the numbers of a noun one term: %s',
      (words) => expect(new Set(words.split(' ').map((word) => term(word))).size).toBe(1),
    );

  it.each(['colour color colours coloured colorful', 'behaviour behavior behavioural', 'favourite favorite',
    'neighbouring neighbors', 'humour humorous', 'centre center centres centred centered', 'theatre theaters',
    'kilometres kilometer', 'organise organize organised organizing organisation organizations organiser',
    'customisable customizable', 'analyse analyze analysed analyzing analysis analyses analyser', 'paralyse paralyzed',
    'catalogue catalog catalogues cataloguing cataloged', 'defence defense', 'licence license', 'practise practice',
    'grey gray', 'programme programs programming', 'travelled traveling', 'judgement judgment'])(
      'gives both spellings of a word one term: %s',
      (words) => expect(new Set(words.split(' ').map((word) => term(word))).size).toBe(1),
    );

  it.each(['precise precisely precision', 'advertise advertised advertisement', 'promise promised', 'raise raising',
    'exercise exercises', 'hour hours', 'course courses', 'resource resources', 'television televise'])(
      'keeps what has one spelling together: %s',
      (words) => expect(new Set(words.split(' ').map((word) => term(word))).size).toBe(1),
    );

  it.each([['hour', 'horus'], ['four', 'for'], ['your', 'yor'], ['organ', 'organism'], ['rise', 'rize'], ['omen',
    'oman'], ['your', 'yours']])('keeps %s and %s as they are', (one, other) => {
      expect([one, other].map(usualSpelling)).toEqual([one, other]);
    });

  it('takes time in proportion to a word', () => {
    for (const unit of ['is', 'ys', 'ab', 'bour', 'b', 'logu'])
      expect(usualSpelling(unit.repeat(100_000)).length).toBeGreaterThan(90_000);
  });
});
