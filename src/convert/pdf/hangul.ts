const HANGUL = /\p{Script=Hangul}/u;
/**
 * Particles and endings, which are the ends of words: a line that begins with one continues the word before it. Those
 * that are also words of their own are left out.
 */
const ENDING =
  /^(?:은|는|을|를|의|며|이며|에|에서|에게|에는|와|과|으로|까지|부터|이고|하며|하여|하고|[였었았했겠됐]\p{Script=Hangul}{0,4}|(?:습니|입니|합니|됩니|니|한|된|이)?다)(?=$|[\s.,?!…)”’])/u;
const LONE = /^(?:다|에|의|과|와|한다|된다|이다)\s/u;
/** Ends of words that rarely are within one. */
const COMPLETE = /(?:\p{Script=Hangul}[을를은는의]|에서|으로|에게|까지|부터|려고|하여|하고|[.,?!…)”’])$/u;
/** Share of the line ends that must be within words. */
const LEAST_CUTS = 0.03;

/** Whether the lines of a Korean text end wherever they are full, within words as well. */
export function cutsWords(lines: readonly string[]): boolean {
  let [ends, cuts] = [0, 0];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (before === undefined || !HANGUL.test(before.slice(-1))) continue;
    if (/^[.,)?!]/.test(line) || (ENDING.test(line) && !LONE.test(line))) cuts += 1;
    if (HANGUL.test(line.charAt(0)) || /^[.,]/.test(line)) ends += 1;
  }
  return cuts > 0 && cuts >= LEAST_CUTS * ends;
}

/** Whether a line end is within a Korean word, in a text whose lines end within words. */
export function isCutWord(before: string, after: string): boolean {
  if (!HANGUL.test(before.slice(-1))) return false;
  if (/^[.,)?!]/.test(after)) return true;
  return HANGUL.test(after.charAt(0)) && (ENDING.test(after) || !COMPLETE.test(before.slice(-8)));
}
