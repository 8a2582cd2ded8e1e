import { describe, expect, it } from 'vitest';
import { stemEnglish } from './english-stemmer.ts';

/**
 * Words with the stems that the Snowball project's own stemmer returns; most of them test one step of the algorithm.
 */
const VOCABULARY: readonly (readonly [stem: string, words: string])[] = [['connect',
  'connect connected connecting connection connections'], ['consign', 'consign consigned consigning consignment'], [
  'consist',
  'consist consisted consistency consistent consistently consisting consists',
], ['consol', 'consolation console consoled consoles consoling'], ['knack', 'knack'], ['knackeri', 'knackeries'], [
  'knight',
  'knight knightly knights',
], ['kneel', 'kneel kneeled kneeling kneels'], ['general', 'general generalization generalizations generally'], [
  'generat',
  'generate generates generating',
], ['communiti', 'communities community'], ['arsenal', 'arsenal arsenals'], ['hope',
  'hope hoped hopes hoping hopeful hopefulness'], ['hop', 'hop hopped hopping'], ['caress', 'caress caresses'], ['tie',
  'tie tied ties tying'], ['cri', 'cried cries cry'], ['gas', 'gas'], ['gap', 'gap gaps'], ['decis',
  'decision decisive'], ['discuss', 'discuss discussion'], ['adopt', 'adopt adoption'], ['relat',
  'related relation relational'], ['agre', 'agree agreed'], ['luxuri', 'luxuriate luxury'], ['say', 'say saying'], [
  'by',
  'by',
], ['enjoy', 'enjoy enjoyed enjoyment'], ['youth', 'youth youthful'], ['inning', 'inning innings'], ['proceed',
  'proceed proceeds'], ['news', 'news'], ['control', 'control controlled controlling'], ['analog', 'analogi'], [
  'argument',
  'argument arguments',
], ['ow', 'ow'], ['be', 'be']];

describe('stemEnglish', () => {
  it.each(VOCABULARY)('returns %s for %s', (stem, words) => {
    expect(words.split(' ').map(stemEnglish)).toEqual(words.split(' ').map(() => stem));
  });

  it('restores the y that it had marked as a consonant', () => {
    expect(['yellow', 'yyy', 'flying', 'employees'].map(stemEnglish)).toEqual(['yellow', 'yyy', 'fli', 'employe']);
  });
});
