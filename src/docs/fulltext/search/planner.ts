import type { MatchingStrategy } from '../../../../generated/docs/sdk/types.gen.ts';
import { type GroupNode, type PhraseNode, type ProximityNode, type QueryMode, type QueryNode, type TermNode,
  wantedNodes, type WildcardNode } from '../../../text/query/index.ts';
import { CODE_CLASSES } from '../view/document-classes.ts';
import type { TermAnalyzer } from '../view/text-index.ts';
import { joinedSpellings, type Spelling, spellingsOf } from './name-spellings.ts';
import type { Leaf, PlanOptions, Reading, WantedLeaf } from './query-plan.ts';
import { textBetween } from './query-words.ts';
import { leafOf, MAX_SYNONYMS, type Sequence, sequenceAt } from './synonym-sequences.ts';

/** Shorter terms, in characters, match exactly, because they have too many neighbours. */
const FUZZY_FROM = 3;
/** With `auto`, the lengths in characters from which a term may be one edit away, and two. */
const ONE_EDIT_FROM = 4;
const TWO_EDITS_FROM = 8;
/**
 * Maximum number of fuzzy terms: each reads a part of the dictionary, so a long text is not searched with edits
 * throughout.
 */
const FUZZY_TERMS = 32;

/** Maximum number of words whose compounds are looked for: each reads the signatures of the dictionary. */
const WORDS_IN_COMPOUNDS = 32;
/** Share of a word's score that documents with its compounds have, too: the word itself counts 2.5 times as much. */
const COMPOUNDS = 0.4;

/** A query, and how it is planned. */
export interface Planning extends PlanOptions {
  readonly query: string;
  readonly queryBytes: number;
}

/**
 * Plans the tree of a query for one reading: removes stop words, and adds edits, completions, synonyms, and other
 * spellings.
 */
export class Planner {
  readonly wanted: WantedLeaf[] = [];
  readonly own = new Set<TermNode>();
  readonly dropped = new Set<string>();
  readonly #options: Planning;
  readonly #mode: QueryMode;
  readonly #analyzer: TermAnalyzer;
  readonly #isStopWord: (form: string) => boolean;
  /** How names are read; undefined for code, whose identifiers are written in one way. */
  readonly #names: Parameters<typeof spellingsOf>[2] | undefined;
  #spellings: ReadonlyMap<TermNode, readonly Spelling[]> = new Map();
  /** In simple mode: the forms that are not planned yet, and how often each occurs in the query. */
  #counts: Map<string, number> | undefined;
  /** In simple mode: the form that may be the beginning of a word. */
  #unfinished: string | undefined;
  readonly #seenTerms = new Set<string>();
  readonly #seenParts = new Set<string>();
  #fuzzyTerms = 0;
  #wordsInCompounds = 0;

  constructor(options: Planning, mode: QueryMode,
    { lang, classes, analyzer, isStopWord }: Pick<Reading, 'lang' | 'classes' | 'analyzer' | 'isStopWord'>)
  {
    this.#options = options;
    this.#mode = mode;
    this.#analyzer = analyzer;
    this.#isStopWord = isStopWord;
    const { vocabulary } = options;
    if (vocabulary !== undefined && classes !== CODE_CLASSES)
      this.#names = { lang, analyzer, isStopWord, vocabulary };
  }

  /** Undefined if only stop words or negations are left, which match nothing. */
  plan(root: QueryNode | undefined): QueryNode | undefined {
    const { query } = this.#options;
    const terms = wantedNodes(root).filter(isTerm);
    const names = this.#names;
    // Next to each other, words are one name only if they are no operands.
    const sequences = this.#mode === 'simple' ? [terms] : terms.map((term) => [term]);
    if (names !== undefined)
      this.#spellings = new Map(sequences.flatMap((each) => [...spellingsOf(query, each, names)]));
    if (this.#mode === 'simple') return root && this.#words(root);
    const node = root && this.#node(root, true);
    return node?.kind === 'group' && isNegation(node) ? undefined : node;
  }

  #words(root: QueryNode): QueryNode | undefined {
    const { prefix, queryBytes, matching = 'any' } = this.#options;
    const words = wantedNodes(root);
    this.#counts = countForms(root);
    const last = words.at(-1);
    if (prefix === 'last' && last?.kind === 'term' && last.end === queryBytes) this.#unfinished = last.form;
    return matchingSome(this.#withSequences(words, matching), matching, root);
  }

  /** Words in a row that have synonyms together are one part, in whose place a document may have a synonym. */
  #withSequences(words: readonly QueryNode[], matching: MatchingStrategy): QueryNode[] {
    const { synonymsOf } = this.#options;
    if (synonymsOf === undefined || synonymsOf.longest < 2) return this.#nodes(words, true);
    const parts: QueryNode[] = [];
    for (let i = 0; i < words.length;) {
      const found = sequenceAt(words, i, synonymsOf, this.#analyzer);
      const own = this.#nodes(words.slice(i, i + found.length), true);
      i += found.length;
      if (found.synonyms.length === 0) parts.push(...own);
      else parts.push(this.#withSynonyms(own, found, matching));
    }
    return parts;
  }

  #withSynonyms(own: readonly QueryNode[], { forms, synonyms, start, end }: Sequence,
    matching: MatchingStrategy): QueryNode
  {
    const place: GroupNode = { kind: 'group', required: [], optional: [], excluded: [], start, end };
    const words = matchingSome(own, matching, place);
    const meaningful = forms.filter((form) => !this.#isStopWord(form));
    const labels = [...new Set(meaningful.length > 0 ? meaningful : forms)];
    const others = synonyms.map((synonym) => this.#leaf(leafOf(synonym, { start, end }), labels, true));
    return { ...place, optional: [...(words === undefined ? [] : [words]), ...others] };
  }

  #node(node: QueryNode, wanted: boolean): QueryNode | undefined {
    switch (node.kind) {
      case 'term':
        return this.#term(node, wanted);
      case 'phrase':
        return this.#phrase(node, wanted);
      case 'proximity':
        return this.#phrase(node, wanted);
      case 'wildcard':
        return this.#leaf(node, [node.pattern], wanted);
      case 'group':
        return this.#group(node, wanted);
    }
  }

  /**
   * A required part in which only exclusions are left excludes for the whole query; an optional one then adds nothing.
   */
  #group({ required, optional, excluded, start, end }: GroupNode, wanted: boolean): QueryNode | undefined {
    const all = this.#nodes(required, wanted);
    const negations = all.filter((node) => node.kind === 'group' && isNegation(node)) as GroupNode[];
    const group: GroupNode = {
      kind: 'group',
      start,
      end,
      required: all.filter((node) => !(node.kind === 'group' && isNegation(node))),
      optional: this.#nodes(optional, wanted).filter((node) => !(node.kind === 'group' && isNegation(node))),
      excluded: [...this.#nodes(excluded, false), ...negations.flatMap((node) => node.excluded)],
    };
    const positive = [...group.required, ...group.optional];
    if (positive.length + group.excluded.length === 0) return undefined;
    return positive.length === 1 && group.excluded.length === 0 ? positive[0] : group;
  }

  #nodes(nodes: readonly QueryNode[], wanted: boolean): QueryNode[] {
    return nodes.map((node) => this.#node(node, wanted)).filter((node) => node !== undefined);
  }

  #term(node: TermNode, wanted: boolean): QueryNode | undefined {
    if (this.#isStopWord(node.form)) {
      this.dropped.add(node.form);
      return undefined;
    }
    const counted = this.#counted(node);
    if (counted === undefined) return undefined;
    const compounds = this.#compounds(node, counted.weight);
    const own = compounds.length === 0 ? counted : { ...counted, weight: (counted.weight ?? 1) * (1 - COMPOUNDS) };
    const alternatives = [this.#ownLeaf(own, wanted), ...compounds, ...this.#completions(counted),
      ...this.#synonyms(counted, wanted), ...this.#otherSpellings(node, wanted)];
    if (alternatives.length < 2) return alternatives[0];
    return { kind: 'group', required: [], optional: alternatives, excluded: [], start: node.start, end: node.end };
  }

  /**
   * In simple mode, the first node of a form represents all of them, with their number as its weight (as in Lucene and
   * Anserini).
   */
  #counted(node: TermNode): TermNode | undefined {
    if (this.#counts === undefined) return node;
    const count = this.#counts.get(node.form);
    this.#counts.delete(node.form);
    if (count === undefined) return undefined;
    return count === 1 ? node : { ...node, weight: count };
  }

  /** In simple mode, inflections of a term add to its score, but are labelled by the first of them. */
  #ownLeaf(node: TermNode, wanted: boolean): Leaf {
    const own = this.#withEdits(node);
    this.own.add(own);
    const isNamed = this.#counts === undefined || own.fuzzy !== undefined ||
      isNew(this.#seenTerms, this.#analyzer.term(node.form));
    const leaf = this.#leaf(own, [node.form], wanted && isNamed);
    this.#wantParts(own, wanted);
    return leaf;
  }

  /** Parts of an identifier match under their own labels. */
  #wantParts({ parts = [], start, end }: TermNode, wanted: boolean): void {
    for (const form of parts)
      if (isNew(this.#seenParts, form)) this.#leaf({ kind: 'term', form, start, end }, [form], wanted);
  }

  /** In the languages that write words together. Like other spellings, not of what is quoted or excluded. */
  #compounds(node: TermNode, weight = 1): Leaf[] {
    const { form, start, end } = node;
    if (this.#analyzer.compounds === undefined || !this.#spellings.has(node)) return [];
    if (++this.#wordsInCompounds > WORDS_IN_COMPOUNDS) return [];
    if (this.#names?.vocabulary.hasCompounds(form, this.#analyzer) !== true) return [];
    return [
      this.#leaf({ kind: 'term', form, inCompounds: true, weight: weight * COMPOUNDS, start, end }, [form], true),
    ];
  }

  #completions({ form, start, end }: TermNode): Leaf[] {
    if (form !== this.#unfinished) return [];
    return [this.#leaf({ kind: 'wildcard', pattern: `${form}*`, completes: true, start, end }, [form], true)];
  }

  #synonyms(node: TermNode, wanted: boolean): Leaf[] {
    return (this.#options.synonymsOf?.(node.form, this.#analyzer) ?? []).slice(0, MAX_SYNONYMS).map((synonym) =>
      this.#synonym(synonym, node, wanted)
    );
  }

  #synonym(synonym: string, { form, weight, start, end }: TermNode, wanted: boolean): Leaf {
    const rest = { start, end, ...(weight !== undefined && { weight }) };
    return this.#leaf(leafOf(synonym, rest), [form], wanted);
  }

  #otherSpellings(node: TermNode, wanted: boolean): Leaf[] {
    return (this.#spellings.get(node) ?? []).map((spelling) => this.#leaf(spelling, [node.form], wanted));
  }

  #withEdits(node: TermNode): TermNode {
    const asked = node.fuzzy ?? (this.#mode === 'simple' ? this.#options.fuzzy : 0);
    if (node.fuzzy === undefined && asked === 0) return node;
    const { fuzzy: _, ...exact } = node;
    const letters = [...node.form].length;
    const edits = asked === 'auto' ? Number(letters >= ONE_EDIT_FROM) + Number(letters >= TWO_EDITS_FROM) : asked;
    if (edits === 0 || letters < FUZZY_FROM || ++this.#fuzzyTerms > FUZZY_TERMS) return exact;
    const isBegun = asked === 'auto' && node.form === this.#unfinished;
    return {
      ...exact,
      fuzzy: edits as 1 | 2,
      ...(asked === 'auto' && { keepsFirst: true }),
      ...(isBegun && { begins: true }),
    };
  }

  /** Stop words stay within a phrase: they are indexed, and quoted text is matched as written. */
  #phrase<N extends PhraseNode | ProximityNode>(node: N, wanted: boolean): QueryNode | undefined {
    if (node.forms.length === 1)
      return this.#term({ kind: 'term', form: node.forms[0]!, start: node.start, end: node.end }, wanted);
    const meaningful = node.forms.filter((form) => !this.#isStopWord(form));
    const phrase = this.#leaf(node, [...new Set(meaningful.length > 0 ? meaningful : node.forms)], wanted);
    const joined = this.#joinedWords(node, wanted);
    if (joined.length === 0) return phrase;
    return {
      kind: 'group',
      required: [],
      optional: [phrase, ...joined],
      excluded: [],
      start: node.start,
      end: node.end,
    };
  }

  /** Other spellings of a phrase that is not quoted, but one word with punctuation in it. */
  #joinedWords({ kind, forms, start, end }: PhraseNode | ProximityNode, wanted: boolean): Leaf[] {
    const { query } = this.#options;
    const text = textBetween(query)(start, end);
    if (this.#names === undefined || kind !== 'phrase' || this.#mode === 'phrase' || /["\s]/.test(text)) return [];
    const words = forms.map((form) => ({ form }));
    return joinedSpellings(words, true, this.#names).map((spelling) =>
      this.#leaf({ ...spelling, start, end }, forms, wanted)
    );
  }

  #leaf<N extends TermNode | PhraseNode | ProximityNode | WildcardNode>(node: N, labels: readonly string[],
    wanted: boolean): N
  {
    if (wanted) this.wanted.push({ node: withoutParts(node), labels });
    return node;
  }
}

function isTerm(node: QueryNode): node is TermNode {
  return node.kind === 'term';
}

function withoutParts(node: Leaf): Leaf {
  if (node.kind !== 'term' || node.parts === undefined) return node;
  const { parts: _, ...whole } = node;
  return whole;
}

/**
 * The number of words that a strategy requires: `most` requires all of two, all but one of three to five, and three
 * quarters of more.
 */
function matchingSome(words: readonly QueryNode[], strategy: MatchingStrategy, { start, end }: QueryNode): QueryNode
  | undefined
{
  if (words.length < 2) return words[0];
  const least = { any: 1, all: words.length, most: mostOf(words.length) }[strategy];
  const group: GroupNode = { kind: 'group', required: [], optional: words, excluded: [], start, end };
  if (least === words.length) return { ...group, required: words, optional: [] };
  return least === 1 ? group : { ...group, least };
}

function mostOf(words: number): number {
  return words <= 2 ? words : words <= 5 ? words - 1 : Math.floor(words * 0.75);
}

function isNegation({ required, optional }: GroupNode): boolean {
  return required.length === 0 && optional.length === 0;
}

function countForms(root: QueryNode | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const node of wantedNodes(root))
    if (node.kind === 'term') counts.set(node.form, (counts.get(node.form) ?? 0) + 1);
  return counts;
}

function isNew(seen: Set<string>, text: string): boolean {
  return seen.size < seen.add(text).size;
}
