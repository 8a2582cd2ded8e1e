// The plain twin of asm/inverted/compounds/: it divides forms with texts and maps.
import { type CompoundWord as Word, coresOf } from '../../search/inverted/compounds.ts';
import { type Dictionary, keyOf } from '../../search/inverted/dictionary.ts';

/** A word in a dictionary. */
type CompoundWord = Word & { readonly dictionary: Pick<Dictionary, 'find' | 'wildcard' | 'text'> };

/**
 * Maximum number of forms with the letters of a word that are divided, of letters of each, and of words that are looked
 * up in the dictionary for all of them: some tens of milliseconds.
 */
const MOST_CANDIDATES = 1000;
const MOST_LETTERS = 48;
const MOST_LOOKUPS = 50_000;
/** Fewer letters before a word are its prefix, and make another word of it: `ver` of `verbindung`. */
const LEAST_LETTERS = 4;
/** Minimum letters of a word, and of what stands beside it, by which a compound is known without its other part. */
const LONG_WORD = 7;
const LONG_REST = 6;
const LETTERS = /^\p{L}+$/u;

/** What letters are: the word, the word without its last letter, or a longer word that it is a part of, or is not. */
type Status = 'word' | 'shortened' | 'compound' | 'other';

/** A part of a form that has the letters of the word. */
interface Cover {
  readonly start: number;
  readonly end: number;
  readonly status: Status;
}

/**
 * The forms that a word is a part of, by their numbers. A form is divided into words of the index, of which those
 * before the last one may have a link. Where there are several ways, the longest word decides: `wachtraum` is a dream
 * if the index has `traum` and `wach`, whatever else it has. A long word is also found beside letters that are no word
 * of the index, because a small collection has few words.
 */
export function compoundsWith(word: CompoundWord): number[] {
  const { form, spellings, rules, dictionary } = word;
  const isPart = (letters: string): boolean => rules.isPart(letters) && LETTERS.test(letters);
  if (!isPart(form)) return [];
  const forms = word.ids.map((id) => dictionary.text(id));
  const all = [...new Set([form, ...spellings, ...forms])];
  const own = all.filter(isPart);
  const cores = coresOf(own, word.termOf);
  const ids = new Map<string, number>();
  for (const core of cores) {
    for (const id of dictionary.wildcard(`*${core}*`, MOST_CANDIDATES)) {
      const text = word.ids.includes(id) ? '' : dictionary.text(id);
      if (text.length <= MOST_LETTERS && LETTERS.test(text)) ids.set(text, id);
    }
  }
  if (ids.size === 0) return [];
  const others = all.filter((each) => !isPart(each));
  const division = new Division(word, { own, others, cores });
  // Shorter forms first, which may be parts of the longer ones.
  const candidates = [...ids.keys()].sort((a, b) => a.length - b.length);
  return candidates.filter((text) => division.isCompound(text)).map((text) => ids.get(text)!);
}

class Division {
  readonly #word: CompoundWord;
  readonly #cores: readonly string[];
  readonly #terms: ReadonlySet<string>;
  readonly #status = new Map<string, Status>();
  readonly #before = new Map<string, boolean>();
  readonly #behind = new Map<string, boolean>();
  #lookups = 0;

  /** `others`: inflections of the word that are no parts, such as the stop word `hinter` beside `hint`. */
  constructor(word: CompoundWord,
    { own, others, cores }: { readonly own: readonly string[]; readonly others: readonly string[];
      readonly cores: readonly string[] })
  {
    this.#word = word;
    this.#cores = cores;
    // Stemmers take some words for inflections, and others for these words: see `Analyzers`.
    this.#terms = new Set(own.flatMap((form) => [word.termOf(form), keyOf(form)]));
    for (const form of others) this.#status.set(form, 'other');
    for (const form of own) this.#status.set(form, 'word');
    for (const form of own) {
      for (const letters of word.rules.lost) {
        const rest = form.slice(0, -letters.length);
        if (form.endsWith(letters) && rest.length >= LEAST_LETTERS && !this.#status.has(rest))
          this.#status.set(rest, 'shortened');
      }
    }
  }

  /** Whether the word is a part of a form; the shorter forms must have been asked for before. */
  isCompound(form: string): boolean {
    if (this.#status.get(form) === 'word') return false;
    const status = this.#find(form);
    this.#status.set(form, status);
    return status === 'compound';
  }

  #find(form: string): Status {
    let isFound = false;
    for (const core of this.#cores) {
      for (const at of placesOf(core, form)) {
        const covers = this.#covers(form, at, at + core.length);
        const known = covers.find((cover) => this.#isDivided(form, cover)) ??
          covers.find((cover) => isProbable(form, cover));
        isFound ||= known !== undefined && isPartBy(form, known);
      }
    }
    return isFound ? 'compound' : 'other';
  }

  /** Words within a form that have some of its letters, the longest first. */
  #covers(form: string, from: number, to: number): Cover[] {
    const covers: Cover[] = [];
    for (let start = 0; start <= from; start++) {
      for (let end = to; end <= form.length; end++) {
        if (start === 0 && end === form.length) continue;
        const status = this.#statusOf(form.slice(start, end), start === from && end === form.length);
        if (status !== undefined) covers.push({ start, end, status });
      }
    }
    return covers.sort((a, b) => b.end - b.start - (a.end - a.start));
  }

  /** At the end of a form, the word may have an inflection that the index has not without the other parts. */
  #statusOf(part: string, isLast: boolean): Status | undefined {
    const status = this.#status.get(part);
    if (status !== undefined || !isLast || !this.#word.rules.isPart(part)) return status;
    const term = this.#word.termOf(part);
    return term.length >= LEAST_LETTERS && this.#terms.has(term) ? 'word' : undefined;
  }

  /** Whether words stand around a part of a form. */
  #isDivided(form: string, { start, end, status }: Cover): boolean {
    const [before, behind] = [form.slice(0, start), form.slice(end)];
    if (behind === '') return status !== 'shortened' && (start < LEAST_LETTERS || this.#areBefore(before));
    if (start > 0 && !this.#areBefore(before)) return false;
    const { links } = this.#word.rules;
    const areBehind = this.#areBehind(behind) ||
      links.some((link) => behind.startsWith(link) && this.#areBehind(behind.slice(link.length)));
    return areBehind && !this.#hasLongerEnd(form, start, end);
  }

  /** Whether a longer word ends with the form and begins within another: `instinkt` within `urin` of `urinstinkt`. */
  #hasLongerEnd(form: string, start: number, end: number): boolean {
    for (let at = start + 1; at < end; at++) {
      if (this.#isWord(form.slice(at)) && !this.#isWord(form.slice(at, end)) &&
        (at < LEAST_LETTERS || this.#areBefore(form.slice(0, at)))) return true;
    }
    return false;
  }

  /** Whether letters before a part are one word or several, which may have links. */
  #areBefore(letters: string): boolean {
    if (letters.length < LEAST_LETTERS) return false;
    let are = this.#before.get(letters);
    if (are !== undefined) return are;
    are = this.#isModifier(letters);
    for (let at = letters.length - LEAST_LETTERS; !are && at >= LEAST_LETTERS; at--)
      are = this.#isModifier(letters.slice(at)) && this.#areBefore(letters.slice(0, at));
    this.#before.set(letters, are);
    return are;
  }

  /** Whether letters behind a part are one word, in any inflection, or several. */
  #areBehind(letters: string): boolean {
    if (letters.length < LEAST_LETTERS) return false;
    let are = this.#behind.get(letters);
    if (are !== undefined) return are;
    are = this.#isWord(letters) ||
      (this.#word.rules.isPart(letters) && ++this.#lookups <= MOST_LOOKUPS && this.#word.isInflected(letters));
    for (let at = LEAST_LETTERS; !are && at <= letters.length - LEAST_LETTERS; at++)
      are = this.#isModifier(letters.slice(0, at)) && this.#areBehind(letters.slice(at));
    this.#behind.set(letters, are);
    return are;
  }

  /** Whether letters are a word, which may have a link, and may have lost its end before: `arbets` of `arbete`. */
  #isModifier(letters: string): boolean {
    const { links, lost, isPart } = this.#word.rules;
    if (!isPart(letters)) return false;
    return ['', ...links].filter((link) => letters.endsWith(link)).some((link) => {
      const word = letters.slice(0, letters.length - link.length);
      return this.#isWord(word) || (word.length >= LEAST_LETTERS && lost.some((end) => this.#isWord(word + end)));
    });
  }

  #isWord(letters: string): boolean {
    return this.#word.rules.isPart(letters) && ++this.#lookups <= MOST_LOOKUPS &&
      this.#word.dictionary.find(letters) !== undefined;
  }
}

/** The first and the last place of some letters without diacritics in a form that has them. */
function placesOf(core: string, form: string): number[] {
  const key = form.includes(core) ? form : keyOf(form);
  const first = key.length === form.length ? key.indexOf(core) : -1;
  const last = first < 0 ? first : key.lastIndexOf(core);
  return first < 0 ? [] : first === last ? [first] : [first, last];
}

/** Whether a long word and a long rest make up a form. */
function isProbable(form: string, { start, end, status }: Cover): boolean {
  const isAtEdge = start === 0 || end === form.length;
  return isAtEdge && status !== 'shortened' && end - start >= LONG_WORD && form.length - (end - start) >= LONG_REST;
}

/** A word with a prefix is another word, but has the same parts as without it. */
function isPartBy(form: string, { start, end, status }: Cover): boolean {
  const hasPrefix = start > 0 && start < LEAST_LETTERS && end === form.length;
  return status === 'compound' || (status !== 'other' && !hasPrefix);
}
