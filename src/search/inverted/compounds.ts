import { Asks, Buffers, DivisionStatus, DivisionText, type InvertedKernel, Truth } from '../../kernels/inverted.ts';
import { spend } from '../../lib/pace.ts';
import { type Dictionary, keyOf } from './dictionary.ts';

/** How a language writes words together. */
export interface CompoundRules {
  /** Whether some letters may be a part of a word: four or more, and no stop word. */
  isPart(letters: string): boolean;
  /** Words that are no parts. */
  readonly stopWords: ReadonlySet<string>;
  /** What may stand behind a part, before the next one, in ASCII: the s of `verbindungsfehler`. */
  readonly links: readonly string[];
  /** What a part may lose before the next one, or before a link: the e of `sprache` in `sprachfehler`. */
  readonly lost: readonly string[];
}

/** What a word is, and which words there are. */
export interface CompoundWord {
  readonly form: string;
  /** The forms of the word that the index has. */
  readonly ids: readonly number[];
  /** Other spellings of the word. */
  readonly spellings: readonly string[];
  readonly termOf: (form: string) => string;
  readonly rules: CompoundRules;
  readonly dictionary: Pick<Dictionary, 'text'>;
  /** Whether the index has an inflection of a form. */
  isInflected(form: string): boolean;
}

/** Maximum number of forms with the letters of a word that are divided. */
const MOST_CANDIDATES = 1000;
/** Number of words that a step looks up in the dictionary: some milliseconds. */
const LOOKUPS = 5000;
/** Minimum letters of a part, and of what remains of the word when it loses its end. */
const LEAST_LETTERS = 4;
/** Maximum number of bytes of a text by which forms are divided: no form that is divided is longer. */
const MOST_BYTES = 48 * 4;
/** Behind the last text. */
const END = Buffer.of(0);
const LETTERS = /^\p{L}+$/u;

/**
 * Finds the forms that a word is a part of, in steps, between which the index must not get or lose a form. A form is
 * divided into words of the index, of which those before the last one may have a link. Where there are several ways,
 * the longest word decides: `wachtraum` is a dream if the index has `traum` and `wach`, whatever else it has. A long
 * word is also found beside letters that are no word of the index, because a small collection has few words.
 *
 * The kernel divides the forms (`asm/inverted/compounds/`), and asks what only a stemmer knows.
 */
export class CompoundSearch {
  readonly #kernel: InvertedKernel;
  readonly #word: CompoundWord;
  #texts: Uint8Array = new Uint8Array();
  /** The terms of the word: stemmers take some words for inflections, and others for these words; see `Analyzers`. */
  #terms: ReadonlySet<string> = new Set();
  /** What the kernel has asked, which it asks again for other forms. */
  readonly #inflected = new Map<string, boolean>();
  readonly #itself = new Map<string, boolean>();
  /** Pairs of a form and its status. */
  #forms: Uint32Array = new Uint32Array();
  #next = 0;

  constructor(kernel: InvertedKernel, word: CompoundWord) {
    const { form, ids, spellings, termOf, rules, dictionary } = word;
    this.#kernel = kernel;
    this.#word = word;
    const isPart = (letters: string): boolean => rules.isPart(letters) && LETTERS.test(letters);
    if (!isPart(form)) return;
    const all = [...new Set([form, ...spellings, ...ids.map((id) => dictionary.text(id))])];
    const own = all.filter(isPart);
    const known = Buffer.concat([...runOf(DivisionText.link, rules.links), ...runOf(DivisionText.lost, rules.lost),
      ...runOf(DivisionText.core, coresOf(own, termOf)), ...this.#known(own, all), END]);
    kernel.write(Buffers.divisionTexts, known);
    this.#forms = this.#written(kernel.call.findForms(MOST_CANDIDATES));
    if (this.#forms.length === 0) return;
    this.#terms = new Set(own.flatMap((each) => [termOf(each), keyOf(each)]));
    this.#texts = Buffer.concat([known.subarray(0, -END.length), stopWordsOf(rules), END]);
  }

  #written(forms: number): Uint32Array {
    return this.#kernel.numbers(this.#kernel.call.buffer(Buffers.divisionForms), forms * 2);
  }

  /** Forms of the word; some without an end; and inflections that are no parts, such as the stop word `hinter`. */
  #known(own: readonly string[], all: readonly string[]): Buffer[] {
    const { lost, stopWords } = this.#word.rules;
    const status = new Map<string, number>(all.map((form) => [form, DivisionStatus.other]));
    for (const form of own) status.set(form, DivisionStatus.word);
    for (const form of own) {
      for (const end of lost) {
        const rest = form.slice(0, -end.length);
        if (form.endsWith(end) && rest.length >= LEAST_LETTERS && !status.has(rest))
          status.set(rest, DivisionStatus.shortened);
      }
    }
    return [...status].flatMap(([form, known]) => runOf(known | (stopWords.has(form) ? DivisionText.stop : 0), [form]));
  }

  /** Divides some forms; returns whether all are divided. */
  step(): boolean {
    if (this.#next === this.#forms.length / 2) return true;
    const { call } = this.#kernel;
    this.#kernel.write(Buffers.divisionTexts, this.#texts);
    this.#kernel.write(Buffers.divisionForms, this.#forms);
    call.openDivision(this.#forms.length / 2, this.#next);
    for (let asked = call.divide(LOOKUPS, 0); asked !== 0;)
      asked = call.divide(LOOKUPS, this.#answer(asked) ? Truth.yes : Truth.no);
    this.#next = call.nextToDivide();
    this.#forms = this.#written(this.#forms.length / 2);
    spend(LOOKUPS);
    return this.#next === this.#forms.length / 2;
  }

  #answer(asked: number): boolean {
    const { call } = this.#kernel;
    const known = asked === Asks.inflected ? this.#inflected : this.#itself;
    const letters = this.#kernel.text(call.askedAt(), call.askedLength());
    let answer = known.get(letters);
    if (answer === undefined) {
      answer = asked === Asks.inflected ? this.#word.isInflected(letters) : this.#isItself(letters);
      known.set(letters, answer);
    }
    return answer;
  }

  /** At the end of a form, the word may have an inflection that the index has not without the other parts. */
  #isItself(letters: string): boolean {
    const term = this.#word.termOf(letters);
    return term.length >= LEAST_LETTERS && this.#terms.has(term);
  }

  /** The forms that the word is a part of, by their numbers. */
  get found(): number[] {
    const found: number[] = [];
    for (let i = 0; i < this.#forms.length; i += 2)
      if (this.#forms[i + 1] === DivisionStatus.compound) found.push(this.#forms[i]!);
    return found;
  }
}

/** Letters without diacritics of which every form has some that a word is a part of, whatever forms an index has. */
export function lettersInCompounds(form: string,
  { term, spellings }: { term(form: string): string;
    readonly spellings?: { customary(form: string): readonly string[]; accented(form: string): readonly string[] }
      | undefined }): readonly string[]
{
  const written = [form, ...spellings?.customary(form) ?? [], ...spellings?.accented(form) ?? []];
  return coresOf([...written, ...written.map((each) => keyOf(term(each)))], term);
}

/** The letters that the inflections of a word have in common. */
export function coresOf(own: readonly string[], termOf: (form: string) => string): readonly string[] {
  const cores = new Set(own.map((form) => {
    const [key, term] = [keyOf(form), keyOf(termOf(form))];
    return key.startsWith(term) ? term : key;
  }));
  return cores.size === 1
    ? [...cores]
    : [...cores].filter((core) => ![...cores].some((other) => other !== core && core.includes(other)));
}

/** Texts of a kind as the kernel reads them. */
function runOf(kind: number, texts: readonly string[]): Buffer[] {
  return texts.map((text) => Buffer.from(text)).filter((bytes) => bytes.length <= MOST_BYTES).map((bytes) =>
    Buffer.concat([Buffer.of(kind, bytes.length), bytes])
  );
}

const stopWords = new WeakMap<ReadonlySet<string>, Buffer>();

function stopWordsOf(rules: CompoundRules): Buffer {
  let known = stopWords.get(rules.stopWords);
  if (known === undefined) {
    const long = [...rules.stopWords].filter((word) => word.length >= LEAST_LETTERS);
    known = Buffer.concat(runOf(DivisionText.stop, long));
    stopWords.set(rules.stopWords, known);
  }
  return known;
}
