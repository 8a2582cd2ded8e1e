/**
 * A light stemmer for Czech: it removes the endings of nouns, adjectives and possessives, and makes one of the
 * consonants that change before them (L. Dolamic and J. Savoy, Indexing and stemming approaches for the Czech language,
 * Information Processing & Management 45, 2009).
 *
 * Expects a word of lower-case letters in NFC; returns a non-empty stem.
 */
export function stemCzech(word: string): string {
  return oneConsonant(withoutPossessive(withoutCase(word)));
}

/** Endings by the minimum number of letters before them. The longest that fits is removed. */
const CASES: readonly (readonly [least: number, ending: RegExp])[] = [[3, /atech$/], [3, /(?:[eě]tem|atům)$/], [3,
  /(?:ech|ich|ích|ého|ěmi|emi|ému|ěte|ete|ěti|eti|ího|iho|ími|ímu|imu|ách|ata|aty|ých|ama|ami|ové|ovi|ými)$/], [3,
  /(?:em|es|ém|ím|ům|at|ám|os|us|ým|mi|ou)$/], [3, /[aeiouůyáéíýě]$/]];

function withoutCase(word: string): string {
  for (const [least, ending] of CASES) {
    const at = word.search(ending);
    if (at >= least) return word.slice(0, at);
  }
  return word;
}

function withoutPossessive(stem: string): string {
  return stem.length > 5 ? stem.replace(/(?:ov|in|ův)$/, '') : stem;
}

/** `-ka`, `-ce` and `-čtí`, `-ha` and `-ze` are of one word, and so are `majetek` and `majetk-`, `stůl` and `stol-`. */
function oneConsonant(stem: string): string {
  if (stem.length < 3) return stem;
  const hard = stem.replace(/čt$/, 'ck').replace(/št$/, 'sk').replace(/[cč]$/, 'k').replace(/[zž]$/, 'h');
  return hard.replace(/e(.)$/u, '$1').replace(/ů(.)$/u, 'o$1');
}
