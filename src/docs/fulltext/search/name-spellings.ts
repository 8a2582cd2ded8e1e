import type { PhraseNode, ProximityNode, TermNode, WildcardNode } from '../../../text/query/index.ts';
import { formsOf } from '../../../text/tokenize.ts';
import type { TermAnalyzer } from '../view/text-index.ts';
import { textBetween } from './query-words.ts';

/** A word as another text may spell it. */
export type Spelling = TermNode | PhraseNode | ProximityNode | WildcardNode;

/** The spelling of several words as one, without its place. */
type Joined = Pick<TermNode, 'kind' | 'form' | 'weight'> | Pick<WildcardNode, 'kind' | 'pattern' | 'completes'>;

/** What a collection has, by which a spelling is worth looking for. */
export interface Vocabulary {
  /** Number of documents that have a form, in any inflection. */
  documentsOf(form: string, analyzer: TermAnalyzer): number;
  /** The same as it is written, which is found faster. */
  documentsWith(form: string): number;
  /** Whether a form contains this one. */
  isWithin(form: string): boolean;
  /** Whether a form is a part of compounds. */
  hasCompounds(form: string, analyzer: TermAnalyzer): boolean;
  /** Maximum number of places at which a word without capitals is divided; undefined for the usual one. */
  readonly divisions?: number;
}

/** The vocabulary of documents that are not known: every spelling is worth looking for. */
export const ANY_VOCABULARY: Vocabulary = {
  documentsOf: () => 1,
  documentsWith: () => 1,
  isWithin: () => true,
  hasCompounds: () => true,
  divisions: Infinity,
};

/** What the spellings of names depend on. */
interface NameReading {
  readonly lang: string;
  readonly analyzer: TermAnalyzer;
  readonly isStopWord: (form: string) => boolean;
  readonly vocabulary: Vocabulary;
}

/** Factors of the score of another spelling: behind the query's own, and for a word that no document has as asked. */
const WEIGHT = 0.3;
const ONLY_WEIGHT = 0.8;
/** Longest name, in words, and most words of a query whose neighbours may be one name though spaces separate them. */
const NAME_WORDS = 5;
const QUERY_WORDS = 6;
/** Minimum letters of a word that is divided, of a name that is looked for within others, and of each of its words. */
const DIVIDED_FROM = 4;
const WITHIN_FROM = 8;
const PART_FROM = 3;
/** Maximum number of places at which a word without capitals is divided: those with the most frequent parts. */
const DIVISIONS = 2;
/** Maximum number of other words between the words of a compound, which stand in any order. */
const NEAR = 4;
/** How many times as many documents have a word of its own as have the rarer of its parts. */
const OWN_WORD = 4;
/** English particles that end a noun when they are joined to a verb: `log in`, `login`. */
const PARTICLES = new Set(['in', 'on', 'up', 'out', 'off', 'down', 'over', 'back', 'away', 'through']);

/** Between the words of `addEventListener` and `XMLHttpRequest`, and between letters and digits. */
const BOUNDARY = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{Nd})|(?<=\p{Nd})(?=\p{L})/u;
const LETTERS = /^\p{L}+$/u;
const VERSION = /^(v?)(\d+(?:\.\d+)+)$/;

/**
 * Other spellings of the words of a query, by their nodes, as far as punctuation, capitals and digits tell them: words
 * that are joined (`node.js`, `node js`: `nodejs`) or divided (`nodejs`: `node js`), words within an identifier
 * (`event listener`: `addEventListener`), versions (`v1.2`: `1.2`, `1.2.3`), and words behind a full stop (`net`:
 * `.NET`).
 *
 * The spelling of several words is one of each of them, so that it counts as all of them.
 */
export function spellingsOf(query: string, nodes: readonly TermNode[],
  reading: NameReading): ReadonlyMap<TermNode, readonly Spelling[]>
{
  const between = textBetween(query);
  const spellings = new Map<TermNode, Spelling[]>(
    nodes.map((node,
      i) => [node, [...divided(node, between(node.start, node.end), reading), ...otherVersions(node),
      ...behindFullStop(node, nodes[i - 1], reading)]]
    ),
  );
  for (let first = 0; first < nodes.length; first++) {
    let isGlued = true;
    for (let end = first + 2; end <= Math.min(first + NAME_WORDS, nodes.length); end++) {
      const gap = between(nodes[end - 2]!.end, nodes[end - 1]!.start);
      isGlued &&= !/\s/.test(gap);
      if (!isGlued && (nodes.length > QUERY_WORDS || gap.trim() !== '')) break;
      const words = nodes.slice(first, end);
      for (const joined of joinedSpellings(words, isGlued, reading))
        for (const node of words) spellings.get(node)!.push({ ...joined, start: node.start, end: node.end });
    }
  }
  return spellings;
}

/** `nodejs` for `node` and `js`, and words that contain `eventlistener`. */
export function joinedSpellings(words: readonly Pick<TermNode, 'form'>[], isGlued: boolean,
  { lang, isStopWord, analyzer, vocabulary }: NameReading): Joined[]
{
  const [first, last] = [words[0]!.form, words.at(-1)!.form];
  const isName = !isStopWord(first) && (!isStopWord(last) || isParticle(last, lang));
  if (!isGlued && !isName) return [];
  const form = words.map((word) => withoutFullStop(word.form)).join('');
  // Spaces rarely stand between more than two words of one identifier, and looking for them takes long.
  const isWithin = isName && (isGlued || words.length === 2) && form.length >= WITHIN_FROM &&
    words.every((word) => word.form.length >= PART_FROM);
  return [
    ...(vocabulary.documentsOf(form, analyzer) > 0 ? [{ kind: 'term' as const, form, weight: WEIGHT }] : []),
    ...(isWithin && vocabulary.isWithin(form) ? [within(form)] : []),
  ];
}

function within(form: string): Joined {
  return { kind: 'wildcard', pattern: `*${form}*`, completes: true };
}

/** The words of an identifier, and those into which a word without capitals can be divided. */
function divided({ form, start, end }: TermNode, text: string, reading: NameReading): Spelling[] {
  const at = { start, end };
  const parts = text.split(BOUNDARY).flatMap((part) => formsOf(part));
  const isName = parts.length > 1 && parts.join('') === form;
  const { vocabulary, analyzer } = reading;
  const phrases = isName
    ? [parts].filter((forms) => forms.every((part) => vocabulary.documentsOf(part, analyzer) > 0))
    : divisionsOf(form, reading);
  const isKnown = phrases.length === 0 || vocabulary.documentsOf(form, analyzer) > 0;
  const weight = isKnown ? WEIGHT : ONLY_WEIGHT;
  return [
    ...phrases.map((forms): Spelling =>
      !isName && forms.every((part) => analyzer.compounds?.isPart(part))
        ? { kind: 'proximity', forms, distance: NEAR, weight, ...at }
        : { kind: 'phrase', forms, weight, ...at }
    ),
    ...(isName && form.length >= WITHIN_FROM && LETTERS.test(form) && vocabulary.isWithin(form)
      ? [{ ...within(form), ...at }]
      : []),
  ];
}

/** A word that far more documents have than one of its parts is a word of its own, such as `background`. */
function divisionsOf(form: string, { lang, isStopWord, analyzer, vocabulary }: NameReading): string[][] {
  if (form.length < DIVIDED_FROM || !LETTERS.test(form)) return [];
  const letters = [...form];
  const whole = vocabulary.documentsWith(form);
  const divisions: { parts: string[]; documents: number }[] = [];
  for (let i = 1; i < letters.length - 1; i++) {
    const [left, right] = [letters.slice(0, i).join(''), letters.slice(i).join('')];
    if (isStopWord(left) || (isStopWord(right) && (i < PART_FROM || !isParticle(right, lang)))) continue;
    const first = [left, ...unlinked(left, analyzer)].find((word) => vocabulary.documentsWith(word) > 0);
    if (first === undefined) continue;
    // The last part of a word that no document has may be inflected: `eventlisteners`.
    const ofRight = vocabulary.documentsWith(right) || (whole === 0 ? vocabulary.documentsOf(right, analyzer) : 0);
    const documents = Math.min(vocabulary.documentsWith(first), ofRight);
    if (documents > 0 && documents * OWN_WORD >= whole) divisions.push({ parts: [first, right], documents });
  }
  return divisions.sort((a, b) => b.documents - a.documents).slice(0, vocabulary.divisions ?? DIVISIONS).map((
    { parts },
  ) => parts);
}

/** The words that letters before the last part of a compound may be besides what they spell. */
function unlinked(letters: string, { compounds }: TermAnalyzer): string[] {
  if (compounds === undefined || !compounds.isPart(letters)) return [];
  const { links, lost, isPart } = compounds;
  const withoutLink = links.filter((link) => letters.endsWith(link)).map((link) => letters.slice(0, -link.length));
  return [...withoutLink, ...lost.map((end) => letters + end)].filter((word) => isPart(word));
}

function isParticle(form: string, lang: string): boolean {
  return lang === 'en' && PARTICLES.has(form);
}

/** `.NET` is a name of its own, unless a word stands directly before: `ASP.NET` is `asp.net`, and the reverse. */
function behindFullStop({ form, start, end }: TermNode, before: TermNode | undefined,
  { vocabulary }: NameReading): Spelling[]
{
  const other = form.startsWith('.') ? withoutFullStop(form) : `.${form}`;
  if ((form.startsWith('.') && before?.end !== start) || vocabulary.documentsWith(other) === 0) return [];
  return [{ kind: 'term', form: other, weight: WEIGHT, start, end }];
}

function withoutFullStop(form: string): string {
  return form.startsWith('.') ? form.slice(1) : form;
}

/** A version with or without `v`, and those that it is the beginning of. */
function otherVersions({ form, start, end }: TermNode): Spelling[] {
  const version = VERSION.exec(form);
  if (version === null) return [];
  const [, sign, numbers] = version;
  const other = sign === '' ? `v${numbers}` : numbers!;
  return [{ kind: 'term', form: other, weight: WEIGHT, start, end }, ...[form, other].map((each): Spelling => ({
    kind: 'wildcard',
    pattern: `${each}.*`,
    completes: true,
    start,
    end,
  }))];
}
