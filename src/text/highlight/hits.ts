import { foldDiacritics } from '../folding.ts';
import type { ByteRange, MarkdownText, Ranges } from './markup.ts';
import type { Hit } from './windows.ts';

/** A word from a tokeniser; words of code overlap, because an identifier and its parts are separate tokens. */
export interface HighlightToken extends ByteRange {
  readonly form: string;
  /** Number of the word in the text; parts of an identifier have the number of the identifier. Required for phrases. */
  readonly position?: number;
}

/** Words that match if they follow each other. */
export interface HighlightPhrase {
  /** The terms of the words, in order; at least two. */
  readonly words: readonly string[];
  /** The matched terms to report for it. */
  readonly labels: readonly string[];
}

/** Letters that match where words that follow each other make them up, and nothing divides these but their own ends. */
export interface HighlightLetters {
  /** Without diacritics. */
  readonly text: string;
  /** Minimum number of letters in each of the words. */
  readonly least: number;
  /** Whether other letters may stand before the first one in its word, and behind the last one in its word. */
  readonly openStart: boolean;
  readonly openEnd: boolean;
  /** The matched terms to report for them. */
  readonly labels: readonly string[];
}

export interface HitOptions {
  /**
   * The matched term of a form, as it is reported in the response; undefined if it did not match. Called once for each
   * distinct form.
   */
  readonly match: (form: string) => string | undefined;
  readonly phrases?: readonly HighlightPhrase[];
  /** Letters across words; those within one word are found by `match`. */
  readonly letters?: readonly HighlightLetters[];
  /** The term of a form, by which words of phrases are compared; by default the form itself. */
  readonly termOf?: (form: string) => string;
}

/** A match, and its words, which may be tagged separately if the whole cannot be tagged. */
interface Found extends Hit {
  readonly words: readonly ByteRange[];
}

/**
 * Text between the words of a phrase in Markdown that prevents a single tag: markup that nests, or the beginning of a
 * block.
 */
const NESTING = /[[\]<>|*_~\\]|\n[ \t]*(?:\n|[-+#>]|\d+[.)])/;
/** Within a word, these characters do not mark emphasis. */
const JOINING = new Set(['_', '-']);

/** All matches in a text, in order. Overlapping matches are one hit. */
export function findHits(tokens: readonly HighlightToken[], options: HitOptions): readonly Found[] {
  const { match, phrases = [], letters = [], termOf = (form) => form } = options;
  const matched = memoize(match);
  const hits: Found[] = [];
  for (const { start, end, form } of tokens) {
    const term = matched(form);
    if (term !== undefined) hits.push({ start, end, terms: [term], words: [{ start, end }] });
  }
  if (phrases.length > 0) hits.push(...findPhrases(tokens, phrases, memoize(termOf)));
  if (letters.length > 0) hits.push(...findLetters(tokens, letters));
  return joined(hits);
}

/**
 * Divides the hits in a Markdown text into those that can be tagged (extended by the code spans around them) and those
 * that cannot, because a tag would break the markup around them.
 *
 * @param longest maximum bytes of a code span that is tagged as a whole
 */
export function fitToMarkup(hits: readonly Found[], text: MarkdownText,
  longest: number): { readonly open: readonly Hit[]; readonly closed: readonly Hit[] }
{
  const { opaque, codeSpans } = text.markupNear(hits);
  const open: Found[] = [];
  const closed: Hit[] = [];
  const [inOpaque, inSpans] = [new Cursor(opaque), new Cursor(codeSpans)];
  for (const hit of splitWhereNested(hits, codeSpans, text)) {
    const spans = inSpans.over(hit);
    if (inOpaque.over(hit).length > 0 || spans.some(({ start, end }) => end - start > longest)) closed.push(hit);
    else if (spans.length === 0) open.push(hit);
    else open.push({ ...hit, start: Math.min(hit.start, spans[0]!.start), end: Math.max(hit.end, spans.at(-1)!.end) });
  }
  return { open: joined(open), closed };
}

/** Splits a phrase into its words if a single tag would not nest with the markup between them. */
function splitWhereNested(hits: readonly Found[], codeSpans: Ranges, text: MarkdownText): Found[] {
  if (hits.every(({ words }) => words.length === 1)) return [...hits];
  const spans = new Cursor(codeSpans);
  const fits = (from: ByteRange, to: ByteRange): boolean => {
    const gap = text.latin1.slice(from.end, to.start);
    if (JOINING.has(gap)) return true;
    const inSpan = spans.over({ start: from.end, end: to.start });
    return !NESTING.test(gap) && (!gap.includes('`') || inSpan.length > 0);
  };
  return hits.flatMap((
    hit,
  ) => (hit.words.slice(1).every((word, i) => fits(hit.words[i]!, word))
    ? [hit]
    : hit.words.map((word) => ({ ...word, terms: hit.terms, words: [word] })))
  );
}

function findPhrases(tokens: readonly HighlightToken[], phrases: readonly HighlightPhrase[],
  termOf: (form: string) => string): Found[]
{
  const wanted = new Set(phrases.flatMap(({ words }) => words));
  const byPosition = new Map<number, Map<string, ByteRange>>();
  for (const { start, end, form, position = -1 } of tokens) {
    const term = termOf(form);
    if (!wanted.has(term)) continue;
    const here = byPosition.get(position) ?? new Map<string, ByteRange>();
    if (!here.has(term)) here.set(term, { start, end });
    byPosition.set(position, here);
  }
  const byFirst = Map.groupBy(phrases, ({ words }) => words[0]!);
  const hits: Found[] = [];
  for (const [position, here] of byPosition) {
    for (const term of here.keys()) {
      for (const phrase of byFirst.get(term) ?? []) {
        const words = phrase.words.map((word, i) => byPosition.get(position + i)?.get(word));
        if (words.every((word) => word !== undefined))
          hits.push({ start: words[0]!.start, end: words.at(-1)!.end, terms: phrase.labels, words });
      }
    }
  }
  return hits;
}

/** Letters across words that have consecutive positions. */
function findLetters(tokens: readonly HighlightToken[], letters: readonly HighlightLetters[]): Found[] {
  const hits: Found[] = [];
  for (let from = 0; from < tokens.length;) {
    let end = from + 1;
    while (end < tokens.length && tokens[end]!.position === tokens[end - 1]!.position! + 1) end++;
    if (end - from > 1) hits.push(...lettersAcross(tokens.slice(from, end), letters));
    from = end;
  }
  return hits;
}

function lettersAcross(tokens: readonly HighlightToken[], letters: readonly HighlightLetters[]): Found[] {
  const forms = tokens.map(({ form }) => foldDiacritics(form));
  const text = forms.join('');
  // The word of each unit of the text.
  const words = forms.flatMap((form, i) => new Array<number>(form.length).fill(i));
  const hits: Found[] = [];
  for (const { text: wanted, labels, ...rules } of letters) {
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      const within = words.slice(at, at + wanted.length);
      const found = tokens.slice(within[0], within.at(-1)! + 1);
      const isAllowed = found.length > 1 && (rules.openStart || words[at - 1] !== within[0])
        && (rules.openEnd || words[at + wanted.length] !== within.at(-1))
        && (rules.least === 1 || found.every((_, i) => count(within, within[0]! + i) >= rules.least));
      if (isAllowed) hits.push({ start: found[0]!.start, end: found.at(-1)!.end, terms: labels, words: found });
    }
  }
  return hits;
}

function count(numbers: readonly number[], wanted: number): number {
  return numbers.filter((number) => number === wanted).length;
}

/** Hits in order, with overlapping ones merged. */
function joined(hits: readonly Found[]): readonly Found[] {
  if (hits.every((hit, i) => i === 0 || hits[i - 1]!.end <= hit.start)) return hits;
  const all: Found[] = [];
  for (const hit of [...hits].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = all.at(-1);
    if (last === undefined || hit.start >= last.end) {
      all.push(hit);
      continue;
    }
    const words = hit.end > last.end ? [...last.words.filter(({ end }) => end <= hit.start), ...hit.words] : last.words;
    all[all.length - 1] = {
      start: last.start,
      end: Math.max(last.end, hit.end),
      terms: [...new Set([...last.terms, ...hit.terms])],
      words,
    };
  }
  return all;
}

function memoize<T>(of: (form: string) => T): (form: string) => T {
  const known = new Map<string, T>();
  return (form) => {
    if (!known.has(form)) known.set(form, of(form));
    return known.get(form)!;
  };
}

const NONE: readonly ByteRange[] = [];

/** Finds the ranges that overlap given ranges, which must be passed in the order of their starts. */
class Cursor {
  readonly #ranges: Ranges;
  #at = 0;

  constructor(ranges: Ranges) {
    this.#ranges = ranges;
  }

  over({ start, end }: ByteRange): readonly ByteRange[] {
    const ranges = this.#ranges;
    while (this.#at < ranges.length && ranges[this.#at + 1]! <= start) this.#at += 2;
    if (this.#at === ranges.length || ranges[this.#at]! >= end) return NONE;
    const found: ByteRange[] = [];
    for (let i = this.#at; i < ranges.length && ranges[i]! < end; i += 2)
      found.push({ start: ranges[i]!, end: ranges[i + 1]! });
    return found;
  }
}
