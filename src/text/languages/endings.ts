// What Snowball's stemmers leave of plurals and definite forms, by which one word would have two stems.

/** Plurals in `-s` behind a vowel, which short words keep (`artes`), or of `-z` (`voces`); the vowel of short words. */
export function spanish(stem: (word: string) => string): (word: string) => string {
  return (word) => ofShort(stem, singular(word.replace(/(?<=..)ces$/, 'z').replace(/(?<=..)des$/, 'd')));
}

/** The same, and the plurals of `-ão`, `-al`, `-el` and `-ol`: `religiões`, `tribunais`, `cruéis`. */
export function portuguese(stem: (word: string) => string): (word: string) => string {
  return (word) => ofShort(stem, singular(portugueseSingular(word)));
}

/** The vowel of short words (`arte`, `arti`), and the `h` of plurals: `banca`, `banche`. */
export function italian(stem: (word: string) => string): (word: string) => string {
  return (word) => ofShort(stem, word).replace(/(?<=..[cg])h$/, '');
}

/**
 * The plural in `-s` of words in `-ie`, `-te` and `-de`; what a consonant is at the end of a word and between vowels:
 * `misdrijf`, `misdrijven`; `grens`, `grenzen`; `straf`, `straffen`.
 */
export function dutch(stem: (word: string) => string): (word: string) => string {
  return (word) => {
    const found = stem(word.length < 6 ? word : word.replace(/(?<=i|t|d)es$/, 'e'));
    const final = withoutDouble(found.replace(/v$/, 'f').replace(/z$/, 's'), /[^aeiou]/);
    return final.length < 4 ? final : final.replace(/(?<=[^aeious])s$/, '');
  };
}

/** `m` and `n` are single at the end of words: `hjem`, `hjemmet`. */
export function norwegian(stem: (word: string) => string): (word: string) => string {
  return (word) => withoutDouble(stem(word), /[mn]/);
}

/** The same, and the definite form in `-et`, which few other words end with. */
export function swedish(stem: (word: string) => string): (word: string) => string {
  return (word) => {
    const definite = word.replace(
      /(?<=[aeiouyåäö][^aeiouyåäö]{1,3}|[^aeiouyåäö]i)(?<!h|[^aeiouyåäör]it|kom|rak|pak|stak)et$/,
      '',
    );
    return withoutDouble(stem(definite), /[mn]/);
  };
}

/** Verbs in `-et` behind letters that need it: `arbeitet`, `öffnet`. */
export function german(stem: (word: string) => string): (word: string) => string {
  return (word) => stem(word.replace(/(?<=..[dt]|.[bdfkpt]n|.chn|[^m].gn|.[dt]m)et$/, ''));
}

/**
 * Nouns in `-ση`, `-ξη` and `-ψη`, which are declined in `-ε-`; plurals of words in `-ι` and `-ια`, of which the
 * stemmer takes short ones for diminutives (`παιδιά`); adjectives in `-ικός`, of which it shortens some forms.
 */
export function greek(stem: (word: string) => string): (word: string) => string {
  return (word) => {
    const found = stem(word.replace(/(?<=..[σξψ])(?:εισ|εων|εωσ)$/, 'η'));
    const whole = found.length < 3 && word.length > 4 ? word.replace(/[αεηιουω]{1,2}σ?$/, '') : found;
    return whole.replace(/(?<=...)ι$/, '').replace(/(?<=....)ικ$/, '').replace(/(?<=..ο)ντ$/, 'ν');
  };
}

/**
 * The dative of words in `-t` behind a vowel, which looks like the locative of a shorter one (`ücrete`); words whose
 * end looks like `-tir`, which is `-dir` behind a voiced letter (`kültür`); and the `s` of possession (`dosyası`), so
 * that words lose it that end with it.
 */
export function turkish(stem: (word: string) => string): (word: string) => string {
  const withoutDative = (word: string): string => word.replace(/(?<=..[aeıioöuü]t)[ae]$/, '');
  return (word) => {
    const single = word.replace(/(?<=...)l[ae]r$/, '');
    if (/[^fstkçşhp]t[ıiuü]r$/.test(single)) return single;
    return withoutDative(stem(withoutDative(word))).replace(/(?<=...[aeıioöuü])s$/, '');
  };
}

function singular(word: string): string {
  return word.length < 5 ? word : word.replace(/(?<=[lnrz])es$|(?<=[aeo])s$/, '');
}

function portugueseSingular(word: string): string {
  if (word.length < 5) return word;
  return word.replace(/[õoãa]es$/, 'ão').replace(/ais$/, 'al').replace(/[eé]is$/, 'el').replace(/[oó]is$/, 'ol');
}

/** The stem of a word, without the last vowel where the stemmer finds the word too short for an ending. */
function ofShort(stem: (word: string) => string, word: string): string {
  const found = stem(word);
  return found === word && word.length >= 4 ? word.replace(/[aeio]$/, '') : found;
}

/** Without the second of two equal letters at the end, if it is one of some. */
function withoutDouble(stem: string, letters: RegExp): string {
  const last = stem.at(-1) ?? '';
  return last === stem.at(-2) && letters.test(last) ? stem.slice(0, -1) : stem;
}
