import { ServiceError } from '../../../errors/index.ts';
import { analyzerFor } from '../../../text/languages/index.ts';
import { parseQuery, QuerySyntaxError, type GroupNode, type ParsedQuery, type ParseOptions, type PhraseNode, type ProximityNode, type QueryMode, type QueryNode, type TermNode, type WildcardNode } from '../../../text/query/index.ts';
import { termAnalyzer } from '../view/analyzers.ts';
import type { Expansions, TermAnalyzer } from '../view/text-index.ts';

export type Leaf = Exclude<QueryNode, GroupNode>;

/** A leaf that a match may contain, and what the answer calls it. */
export interface WantedLeaf {
  readonly node: Leaf;
  /** Terms of the query: one, or the words of a phrase. */
  readonly labels: readonly string[];
}

/** A query as the index is asked. */
export interface QueryPlan {
  readonly mode: QueryMode;
  readonly root: QueryNode | undefined;
  /** Makes terms of forms; knows no stop words, as the plan is without them. */
  readonly analyzer: TermAnalyzer;
  readonly isStopWord: (form: string) => boolean;
  /** Leaves that match, not those that exclude. */
  readonly wanted: readonly WantedLeaf[];
  /** What terms bring along besides (see `expandPlan`). */
  readonly expansions?: Expansions;
}

export interface PlanOptions extends Required<Pick<ParseOptions, 'mode' | 'distance'>> {
  /** Code of a language (see `resolveLanguage`). */
  readonly lang: string;
  readonly stemming: boolean;
  readonly stopWords: ReadonlySet<string>;
  /** Synonyms of a form; undefined when none are to be added. */
  readonly synonymsOf: ((form: string) => readonly string[]) | undefined;
  /** Edits allowed in simple mode. */
  readonly fuzzy: number;
}

/** Terms below so many characters match exactly (decision D-85). */
const FUZZY_FROM = 3;
/** Each fuzzy term reads a part of the dictionary, so a long text is not searched for with edits from end to end. */
const FUZZY_TERMS = 32;
/** Synonyms of one term that are searched for. */
const MAX_SYNONYMS = 64;

/**
 * Reads a query and prepares it: stop words go, terms get their edits and synonyms. Throws
 * `invalid_argument` with the byte position for a query that its mode's grammar does not allow.
 */
export function planQuery(query: string, options: PlanOptions): QueryPlan {
  const parsed = parse(query, options);
  const { lang, stemming, stopWords } = options;
  const withStopWords = analyzerFor(lang, { stemming, stopWords });
  const isStopWord = (form: string): boolean => withStopWords.term(form) === undefined;
  const analyzer = termAnalyzer(lang, stemming);
  const planner = new Planner(options, parsed.mode, analyzer, isStopWord);
  return { mode: parsed.mode, root: planner.plan(parsed.root), analyzer, isStopWord, wanted: planner.wanted };
}

function parse(query: string, { mode, distance }: PlanOptions): ParsedQuery {
  try {
    return parseQuery(query, { mode, distance });
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error;
    throw new ServiceError('invalid_argument', `query: ${error.message}`);
  }
}

class Planner {
  readonly wanted: WantedLeaf[] = [];
  readonly #options: PlanOptions;
  readonly #mode: QueryMode;
  readonly #analyzer: TermAnalyzer;
  readonly #isStopWord: (form: string) => boolean;
  readonly #seenForms = new Set<string>();
  readonly #seenTerms = new Set<string>();
  #fuzzyTerms = 0;

  constructor(options: PlanOptions, mode: QueryMode, analyzer: TermAnalyzer, isStopWord: (form: string) => boolean) {
    this.#options = options;
    this.#mode = mode;
    this.#analyzer = analyzer;
    this.#isStopWord = isStopWord;
  }

  /** Undefined for nothing but stop words or negations, which matches nothing. */
  plan(root: QueryNode | undefined): QueryNode | undefined {
    const node = root && this.#node(root, true);
    return node?.kind === 'group' && isNegation(node) ? undefined : node;
  }

  #node(node: QueryNode, wanted: boolean): QueryNode | undefined {
    switch (node.kind) {
      case 'term': return this.#term(node, wanted);
      case 'phrase': return this.#phrase(node, wanted);
      case 'proximity': return this.#phrase(node, wanted);
      case 'wildcard': return this.#leaf(node, [node.pattern], wanted);
      case 'group': return this.#group(node, wanted);
    }
  }

  /** A required part that is left with nothing but exclusions excludes for the whole; an optional one adds nothing then. */
  #group({ required, optional, excluded, start, end }: GroupNode, wanted: boolean): QueryNode | undefined {
    const all = this.#nodes(required, wanted);
    const negations = all.filter((node) => node.kind === 'group' && isNegation(node)) as GroupNode[];
    const group: GroupNode = {
      kind: 'group', start, end,
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
    if (this.#isStopWord(node.form)) return undefined;
    if (this.#mode === 'simple' && !isNew(this.#seenForms, node.form)) return undefined;
    const alternatives = [...this.#ownLeaf(node, wanted), ...this.#synonyms(node, wanted)];
    if (alternatives.length < 2) return alternatives[0];
    return { kind: 'group', required: [], optional: alternatives, excluded: [], start: node.start, end: node.end };
  }

  /** None in simple mode for a term that an earlier word has brought: `layer layers` is no more about layers than `layer`. */
  #ownLeaf(node: TermNode, wanted: boolean): Leaf[] {
    const own = this.#withEdits(node);
    if (this.#mode === 'simple' && own.fuzzy === undefined && !isNew(this.#seenTerms, this.#analyzer.term(node.form))) return [];
    return [this.#leaf(own, [node.form], wanted)];
  }

  #synonyms(node: TermNode, wanted: boolean): Leaf[] {
    return (this.#options.synonymsOf?.(node.form) ?? []).slice(0, MAX_SYNONYMS).map((synonym) => this.#synonym(synonym, node, wanted));
  }

  #synonym(synonym: string, { form, start, end }: TermNode, wanted: boolean): Leaf {
    const forms = synonym.split(' ');
    const node: TermNode | PhraseNode = forms.length === 1 ? { kind: 'term', form: synonym, start, end } : { kind: 'phrase', forms, start, end };
    return this.#leaf(node, [form], wanted);
  }

  #withEdits(node: TermNode): TermNode {
    const { fuzzy: given, ...exact } = node;
    const edits = given ?? (this.#mode === 'simple' ? this.#options.fuzzy : 0);
    if (edits === 0 || [...node.form].length < FUZZY_FROM || ++this.#fuzzyTerms > FUZZY_TERMS) return exact;
    return { ...exact, fuzzy: edits as 1 | 2 };
  }

  /** Stop words stay within a phrase: they are indexed, and what was quoted is meant as it stands. */
  #phrase<N extends PhraseNode | ProximityNode>(node: N, wanted: boolean): QueryNode | undefined {
    if (node.forms.length === 1) return this.#term({ kind: 'term', form: node.forms[0]!, start: node.start, end: node.end }, wanted);
    const meaningful = node.forms.filter((form) => !this.#isStopWord(form));
    return this.#leaf(node, [...new Set(meaningful.length > 0 ? meaningful : node.forms)], wanted);
  }

  #leaf<N extends TermNode | PhraseNode | ProximityNode | WildcardNode>(node: N, labels: readonly string[], wanted: boolean): N {
    if (wanted) this.wanted.push({ node, labels });
    return node;
  }
}

function isNegation({ required, optional }: GroupNode): boolean {
  return required.length === 0 && optional.length === 0;
}

function isNew(seen: Set<string>, text: string): boolean {
  return seen.size < seen.add(text).size;
}
