import type { Highlight, HybridResult, ProjectedDocument } from '../../../../generated/docs/sdk/types.gen.ts';
import type { Lines } from '../../shared/lines.ts';

/** A part of a document. */
export interface Passage {
  /** With the matches tagged. */
  readonly text: string;
  readonly lines: Lines;
}

export interface Hit {
  readonly document: ProjectedDocument;
  /** The best one first. */
  readonly passages: readonly Passage[];
}

/** Maximum number of passages of a document that are shown, and of characters of one that is found by its meaning. */
export const SHOWN = 2;
const LENGTH = 300;

/**
 * Passages of a body with words of a query, those with the most different words first, then those near some lines, then
 * those with the most matches.
 */
export function passagesByWords(highlights: readonly Highlight[] = [], near?: Lines): Passage[] {
  const found = highlights.filter(({ field }) => field === 'content').map((each) => {
    const lines = taggedLines(each);
    return {
      passage: { text: each.fragment, lines },
      // `word~ward` is a word that is spelled in another way.
      words: new Set(each.matchedTerms.map((term) => term.split('~')[0])).size,
      isNear: Number(near !== undefined && overlap(lines, near)),
      matches: each.fragment.split('<mark>').length,
    };
  });
  return found.sort((a, b) => b.words - a.words || b.isNear - a.isNear || b.matches - a.matches).map(({ passage }) =>
    passage
  );
}

/** The lines of the matches in a fragment, which has some text before and behind them. */
function taggedLines({ fragment, startLine, endLine }: Highlight): Lines {
  const [before, last] = [fragment.indexOf('<mark>'), fragment.lastIndexOf('</mark>')];
  if (before < 0) return { start: startLine, end: endLine };
  const lineAt = (place: number): number => startLine + fragment.slice(0, place).split('\n').length - 1;
  return { start: lineAt(before), end: lineAt(last) };
}

type FoundPassage = Pick<HybridResult, 'document' | 'chunkText' | 'startLine' | 'endLine' | 'highlights'>;

/** The documents of passages, each once, at the place of its best passage. */
export function groupPassages(results: readonly FoundPassage[]): Hit[] {
  const found = Map.groupBy(results, ({ document: { id } }) => id);
  return [...found.values()].map((all) => ({ document: all[0]!.document, passages: bestOf(all).slice(0, SHOWN) }));
}

/** A passage with words of the query says more than one whose meaning is near. */
function bestOf(found: readonly FoundPassage[]): Passage[] {
  const { highlights } = found[0]!;
  const words = wordsOf(highlights);
  const chunks = found.map((each) => toPassage(each, words)).filter((passage) => passage !== undefined);
  const [first, ...others] = passagesByWords(highlights, chunks[0]?.lines);
  const best: Passage[] = [];
  for (const passage of [first, chunks[0], ...others, ...chunks])
    if (passage !== undefined && !best.some(({ lines }) => overlap(lines, passage.lines))) best.push(passage);
  return best;
}

const overlap = (a: Lines, b: Lines): boolean => a.start <= b.end && b.start <= a.end;

function toPassage({ chunkText, startLine = 1, endLine = startLine }: FoundPassage, words: ReadonlySet<string>): Passage
  | undefined
{
  if (chunkText === undefined) return undefined;
  const text = chunkText.length > LENGTH ? `${chunkText.slice(0, LENGTH)}…` : chunkText;
  return { text: tagWords(text, words), lines: { start: startLine, end: endLine } };
}

/** The words of a query and of a document that match; of `word~ward`, both. */
function wordsOf(highlights: readonly Highlight[] = []): Set<string> {
  const tagged = highlights.flatMap(({ fragment }) => tagParts(fragment).filter(({ isTagged }) => isTagged));
  const terms = highlights.flatMap(({ matchedTerms }) => matchedTerms.flatMap((term) => term.split('~')));
  return new Set([...tagged.map(({ text }) => text.toLowerCase()), ...terms]);
}

/** Tags words of a passage. */
export function tagWords(passage: string, words: ReadonlySet<string>): string {
  return passage.replace(/[\p{L}\p{N}_]+/gu, (word) => (words.has(word.toLowerCase()) ? `<mark>${word}</mark>` : word));
}

/** A text at its tags. */
export function tagParts(text: string): { readonly text: string; readonly isTagged: boolean }[] {
  const [first = '', ...others] = text.split('<mark>');
  return [{ text: first, isTagged: false }, ...others.flatMap((part) => {
    const [tagged = '', ...rest] = part.split('</mark>');
    return [{ text: tagged, isTagged: true }, { text: rest.join(''), isTagged: false }];
  })];
}

/** A passage may begin or end within a tag or an address. */
const CUT_TAG = /^…[^<>\n]{0,200}"\s?\/?>/;
const HTML = /<(?!\/?mark>)\/?[a-z][^<>]{0,500}>/gi;
const LINK = /!?\[([^[\]]{0,300})\]\([^()\n]{0,500}(?:\)|…$)/g;
const CUT_LINK = /\]\([^()\n]{0,500}(?:\)|…$)/g;
const TABLE_RULE = /\|(?:[-: ]{1,100}\|){1,100}/g;
/** Signs of headings and of cells. */
const SIGN = /^(?:#{1,6}|\|)$/;

/** A passage of prose as plain text, without the markup of headings, lists, emphasis, links and tables. */
export function withoutMarkup(passage: string): string {
  return passage.replace(CUT_TAG, '…').replace(HTML, ' ').replace(LINK, '$1').replace(CUT_LINK, '').replace(TABLE_RULE,
    ' ').replace(/^```.*|\*\*|`/gm, '').split(/\s+/).filter((word) => !SIGN.test(word)).join(' ');
}
