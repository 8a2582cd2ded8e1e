/**
 * A light stemmer for Korean: it removes particles (josa) from nouns, and the endings of `-하다`, `-되다`, `이다` and of
 * verbs, one after the other, as long as enough of a word is left: `서울에서는` becomes `서울`, `관리합니다` becomes `관리`. A
 * particle whose form depends on the sound before it is removed only where it fits: `-은` follows a consonant, `-는` a
 * vowel. So `국가` and `마음` keep their last syllables.
 *
 * Because each step gives the stem of a shorter word, all forms of a word have the same stem, even where letters of the
 * word itself look like a particle (`고양이`, `고양이는`). The lists are our own.
 *
 * Expects a word that ends with Hangul syllables in NFC, behind letters of other scripts or none (`API를`); returns a
 * non-empty stem. `korean-stemmer.test.ts` measures it on paradigms.
 */
export function stemKorean(word: string): string {
  let start = word.length;
  while (start > 0 && isSyllable(word.charCodeAt(start - 1))) start--;
  const [other, hangul] = [word.slice(0, start), word.slice(start)];
  if (hangul === '') return word;
  if (other !== '') return other + withoutParticles(hangul, 0);
  const noun = withoutParticles(hangul, LEAST);
  return withoutEnding(noun) || noun;
}

function isSyllable(code: number): boolean {
  return code >= FIRST_SYLLABLE && code <= LAST_SYLLABLE;
}

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;

/** Minimum number of syllables that are left, except before `ALSO_SHORT`. */
const LEAST = 2;

/** Particles after any sound. */
const PARTICLES = ['에게서', '한테서', '께서', '에서', '에게', '한테', '부터', '까지', '마저', '조차', '밖에', '처럼',
  '보다', '같이', '마다', '하고', '이라도', '이라는', '이라고', '이란', '이나', '이며', '이고', '이든', '으로서',
  '으로써', '로서', '로써', '으로', '대로', '만큼', '이랑', '들', '의', '에', '도', '만'];
const AFTER_CONSONANT = ['은', '을', '이', '과'];
const AFTER_VOWEL = ['는', '를', '가', '와', '로', '라는', '라고', '란', '나', '며', '고', '든', '랑'];
/** They may follow a noun of one syllable; the others would be taken from too many nouns of two or three. */
const ALSO_SHORT = new Set([...PARTICLES.filter(({ length }) => length > 1), '은', '을', '를']);

const BEHIND_CONSONANT = new Set(AFTER_CONSONANT);
const BEHIND_VOWEL = new Set(AFTER_VOWEL);
/** The longest first. */
const BY_LENGTH = [...PARTICLES, ...AFTER_CONSONANT, ...AFTER_VOWEL].sort((a, b) => b.length - a.length);

function withoutParticles(word: string, least: number): string {
  const particle = BY_LENGTH.find((each) => word.endsWith(each) && isRemoved(word, each, least));
  return particle === undefined ? word : withoutParticles(word.slice(0, -particle.length), least);
}

function isRemoved(word: string, particle: string, least: number): boolean {
  const left = word.length - particle.length;
  // Behind a letter of another script, the sound is not known.
  if (left === 0) return least === 0;
  const needed = ALSO_SHORT.has(particle) ? Math.min(1, least) : least;
  const final = finalOf(word[left - 1]!);
  if (BEHIND_CONSONANT.has(particle) && final === 0) return false;
  if (BEHIND_VOWEL.has(particle) && final !== 0 && !(final === RIEUL && particle === '로')) return false;
  return left >= needed;
}

/** Number of the consonant at the end of a syllable; 0 for none. */
function finalOf(syllable: string): number {
  return (syllable.charCodeAt(0) - FIRST_SYLLABLE) % 28;
}

const RIEUL = 8;

/** Endings of `-하다`, `-되다`, `-시키다` and `이다` behind a noun, and of verbs and adjectives behind their stem. */
const ENDINGS = new RegExp(
  `(?<=..)(?:(?:하|되|시키|당하)(?:[가-힣]{0,4}(?:다|요|까|고|는|면|서|며|지|기|게|여|도록|려고|므로|니까|던|거나))?`
    + `|(?:해|돼|시켜|했|됐|하여|되어|하였|되었)(?:[가-힣]{0,3}(?:다|요|서|고|지|던|야))?`
    + `|[한할함합된될됨됩](?:니다|니까|다|다고|다면)?|(?:이|였|이었|입니|아니)(?:[가-힣]{0,2}다|까))$`
    + `|(?<=.)(?:았|었|였|겠|습니)(?:[가-힣]{0,3}(?:다|요|까|고|는데|던|지만))$`
    + `|(?<=.)는다$`
    + `|(?<=..)(?:지만|는데|면서|아서|어서|아요|어요|다)$`,
  'u',
);

function withoutEnding(word: string): string {
  const at = ENDINGS.exec(word)?.index;
  return at === undefined ? word : word.slice(0, at);
}
