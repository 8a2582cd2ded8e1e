import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import { withinEdits } from '../../../lib/did-you-mean.ts';
import { createGlob, type Glob } from '../../../lib/glob.ts';
import { MarkedForms } from '../../../search/marks/marked-forms.ts';
import { Guesses } from '../../../search/parts/index.ts';
import { isCodeDocument, tokenizeCode } from '../../../text/code/index.ts';
import { foldDiacritics } from '../../../text/folding.ts';
import { highlight, highlightInParts, type HighlightOptions, type HighlightPhrase,
  type HitOptions } from '../../../text/highlight/index.ts';
import { isLoose } from '../../../text/query/index.ts';
import { isSpaceless } from '../../../text/spaceless.ts';
import { formsOf, tokenize } from '../../../text/tokenize.ts';
import type { Meta } from '../../documents/index.ts';
import { PLAIN } from '../view/analyzers.ts';
import { classOfDocument } from '../view/document-classes.ts';
import { areWithin, compoundOf, type Letters, lettersOf, lettersOfPhrase } from '../view/letters.ts';
import { CONTENT, type Field, FIELDS, type FormsLike, type ReadableText } from '../view/text-index.ts';
import { wordOf } from '../view/to-index-query.ts';
import { fieldByName, nameOfKey } from '../view/to-indexed.ts';
import { type QueryPlan, type Reading, readingFor, type WantedLeaf } from './query-plan.ts';
import type { SearchRequest } from './request.ts';

/**
 * Maximum number of forms by which a part of a query is found in texts; above this, words are compared with the query
 * one by one.
 */
const MOST_FORMS = 4096;
/** The maximum for all parts of a query together: looking that many up takes some milliseconds. */
const MOST_LOOKS = 512;

/** The matchers of a query, one for each of its readings. */
export class WordMatchers {
  readonly #plan: QueryPlan;
  readonly #index: Pick<ReadableText, 'formsLike'> | undefined;
  readonly #matchers = new Map<Reading, WordMatcher>();

  /** With an index, highlights find words by its forms, which cover all documents that it finds. */
  constructor(plan: QueryPlan, index?: Pick<ReadableText, 'formsLike'>) {
    this.#plan = plan;
    this.#index = index;
  }

  /** The matcher of a document; undefined when the query has no reading for its class. */
  of(document: Parameters<typeof classOfDocument>[0]): WordMatcher | undefined {
    const reading = readingFor(this.#plan, classOfDocument(document));
    if (reading === undefined) return undefined;
    let matcher = this.#matchers.get(reading);
    if (matcher === undefined) this.#matchers.set(reading, matcher = new WordMatcher(reading, this.#index));
    return matcher;
  }
}

/** Determines which terms of a query the words of a document match, for passages and highlights. */
export class WordMatcher {
  readonly #reading: Reading;
  /** Labels by term. */
  readonly #terms = new Map<string, string>();
  /** Labels of words that match in phrases only. */
  readonly #phraseWords = new Map<string, string>();
  readonly #phrases: HighlightPhrase[] = [];
  readonly #patterns: { readonly label: string; readonly matches: Glob; readonly passes: boolean }[] = [];
  readonly #fuzzy: { readonly label: string; readonly folded: readonly string[]; readonly edits: number;
    readonly look: FormsLike }[] = [];
  /** What is looked up as compounds. */
  readonly #compounds: { readonly label: string; readonly look: FormsLike }[] = [];
  readonly #letters: (Letters & { readonly labels: readonly string[] })[] = [];
  /** By the form that was searched for: the forms that the index found by edits, or as compounds. */
  readonly #near = new Map<FormsLike, ReadonlySet<string>>();
  /** The results for forms, because documents share most of their words. */
  readonly #known = new Map<string, string | undefined>();
  /** Terms of forms, so that no form is stemmed twice. */
  readonly #termOf = new Map<string, string>();
  /** Terms of the query's words by these without diacritics: words without an index, and forms that are new to it. */
  readonly #termByKey = new Map<string, string>();
  readonly #looks: FormsLike[] = [];
  /** The forms that words may match by, for highlights; undefined without an index, and if there are too many. */
  readonly marks: MarkedForms | undefined;

  constructor(reading: Reading, index?: Pick<ReadableText, 'formsLike'>) {
    this.#reading = reading;
    const wanted = withoutCommon(reading);
    const isOneWord = new Set(wanted.flatMap(({ labels }) => labels)).size === 1;
    for (const leaf of wanted) this.#learn(leaf, isOneWord);
    this.marks = index && this.#marksBy(index);
  }

  /** The forms of the index that match the query or words of its phrases, and the query's own forms. */
  #marksBy(index: Pick<ReadableText, 'formsLike'>): MarkedForms | undefined {
    if (this.#looks.length > MOST_LOOKS) return undefined;
    const forms = new Set<string>();
    const guesses = new Guesses();
    for (const look of this.#looks) {
      const found = guesses.guess(() => index.formsLike(look, MOST_FORMS), []);
      if (found === undefined) return undefined;
      if (look.by === 'edits' || look.by === 'compounds') this.#near.set(look, new Set(found));
      for (const form of found) {
        forms.add(form);
        // Another spelling of the word has another term of its own.
        if (look.by === 'term' && !this.#termOf.has(form)) this.#termOf.set(form, this.#term(look.form));
      }
      if (look.by === 'term') forms.add(look.form);
    }
    guesses.check();
    return new MarkedForms([...forms]);
  }

  #term(form: string): string {
    let term = this.#termOf.get(form);
    if (term === undefined) {
      const { analyzer } = this.#reading;
      term = (analyzer.spellings && this.#termByKey.get(PLAIN.term(form))) ?? analyzer.term(form);
      this.#termOf.set(form, term);
    }
    return term;
  }

  /**
   * The term of the query that a form matches, `query~indexed` if only by edits; undefined for no match. The words of a
   * phrase match at any position.
   */
  match(form: string): string | undefined {
    return this.#matchWord(form) ?? this.#phraseWords.get(this.#term(form));
  }

  /** What highlights mark: words, and whole phrases. */
  get highlighted(): HitOptions {
    return {
      match: (form) => this.#matchWord(form),
      phrases: this.#phrases,
      letters: this.#letters,
      termOf: (form) => this.#term(form),
    };
  }

  #matchWord(form: string): string | undefined {
    const exact = this.#terms.get(this.#term(form));
    if (exact !== undefined) return exact;
    if (this.#patterns.length + this.#compounds.length + this.#fuzzy.length + this.#letters.length === 0)
      return undefined;
    if (!this.#known.has(form)) this.#known.set(form, this.#matchLoosely(form));
    return this.#known.get(form);
  }

  #matchLoosely(form: string): string | undefined {
    const folded = foldDiacritics(form);
    const isCommon = this.#reading.isCommon(form);
    const pattern = this.#patterns.find(({ matches, passes }) => !(passes && isCommon) && matches(folded));
    if (pattern !== undefined) return pattern.label;
    const compound = this.#compounds.find(({ look }) => this.#near.get(look)?.has(form));
    if (compound !== undefined) return compound.label;
    const letters = this.#letters.find((each) => areWithin(each, folded));
    if (letters !== undefined) return letters.labels[0];
    if (isCommon) return undefined;
    const characters = [...folded];
    const near = this.#fuzzy.find(({ look, ...word }) =>
      this.#near.get(look)?.has(form) ?? withinEdits(word.folded, characters, word.edits)
    );
    return near && `${near.label}~${form}`;
  }

  /** The only word of a query may be the beginning of a stop word; beside others, it would mark these everywhere. */
  #learn({ node, labels }: WantedLeaf, isOneWord: boolean): void {
    const [label] = labels;
    if (label === undefined) return;
    if (node.kind === 'wildcard') {
      const passes = node.completes === true && !isOneWord;
      this.#patterns.push({ label, matches: createGlob(foldDiacritics(node.pattern)), passes });
      this.#looks.push({ by: 'pattern', pattern: node.pattern });
      const word = wordOf(node.pattern);
      if (word !== undefined) this.#learnTerm(this.#terms, word, label);
    } else if (node.kind === 'term' && node.inCompounds === true) {
      const look: FormsLike = { by: 'compounds', form: node.form, analyzer: this.#reading.analyzer };
      this.#compounds.push({ label, look });
      this.#looks.push(look);
    } else if (node.kind === 'term') {
      this.#learnTerm(this.#terms, node.form, label);
      this.#learnLetters(lettersOf(node.form, this.#reading.analyzer), labels);
      if (isLoose(node)) {
        const look: FormsLike = {
          by: 'edits',
          form: node.form,
          edits: node.fuzzy ?? 0,
          keepsFirst: node.keepsFirst === true,
          begins: node.begins === true,
          analyzer: this.#reading.analyzer,
        };
        this.#fuzzy.push({ label, folded: [...foldDiacritics(node.form)], edits: node.fuzzy ?? 0, look });
        this.#looks.push(look);
      }
    } else {
      const words = node.kind === 'phrase' ? this.#phraseWords : this.#terms;
      // The words of a text, into which the tokeniser divides a longer one of the query. Forms are in small letters, in
      // which it would not know that a full stop belongs to a name.
      const forms = node.forms.flatMap((form) => (form.startsWith('.') ? [form] : formsOf(form)));
      for (const form of forms) this.#learnWord(words, form, labels);
      const { analyzer } = this.#reading;
      if (node.kind === 'proximity') {
        for (const form of node.forms) this.#learnLetters(lettersOf(form, analyzer).slice(0, 1), [form]);
      } else if (node.forms.every(isSpaceless)) this.#learnLetters([lettersOfPhrase(node.forms)], labels);
      else {
        this.#phrases.push({ words: forms.map((form) => this.#look(form)), labels });
        this.#learnLetters(lettersOf(compoundOf(node.forms, analyzer), analyzer).slice(0, 1), labels);
      }
    }
  }

  #learnLetters(all: readonly Letters[], labels: readonly string[]): void {
    for (const letters of all) {
      this.#letters.push({ ...letters, text: foldDiacritics(letters.text), labels });
      this.#looks.push({ by: 'letters', letters });
    }
  }

  /** A word of a phrase is labelled by its own form; one of a synonym by the term that it stands for. */
  #learnWord(words: Map<string, string>, form: string, labels: readonly string[]): void {
    if (labels.includes(form)) this.#learnTerm(words, form, form);
    else if (!this.#reading.isStopWord(form)) this.#learnTerm(words, form, labels[0]!);
  }

  #learnTerm(words: Map<string, string>, form: string, label: string): void {
    const term = this.#look(form);
    if (!words.has(term)) words.set(term, label);
  }

  /** Records that words of the term of a form are searched for, and returns the term. */
  #look(form: string): string {
    const { analyzer } = this.#reading;
    if (!this.#termOf.has(form)) this.#looks.push({ by: 'term', form, analyzer });
    const term = analyzer.term(form);
    this.#termOf.set(form, term);
    const key = PLAIN.term(form);
    if (!this.#termByKey.has(key)) this.#termByKey.set(key, term);
    return term;
  }
}

/** What a reading wants besides stop words, or all of it if there is nothing else. Phrases are quoted with theirs. */
function withoutCommon({ wanted, isCommon }: Reading): readonly WantedLeaf[] {
  const isPhrase = ({ node }: WantedLeaf): boolean => node.kind === 'phrase' || node.kind === 'proximity';
  const others = wanted.filter((leaf) => isPhrase(leaf) || !leaf.labels.every(isCommon));
  return others.length > 0 ? others : wanted;
}

type Options = NonNullable<SearchRequest['highlight']>;

/** Finds the passages of a document, whose body may be UTF-8 bytes. */
export type Highlighter = (document: Shown & { readonly lang: string }) => Promise<Highlight[]>;

interface Shown {
  readonly key: string;
  readonly meta: Meta;
  /** May be UTF-8 bytes. */
  readonly contentMd: string | Buffer;
}

/** Undefined if the request asks for no passages. With an index, words are found by its forms. */
export function highlighterOf(request: Pick<SearchRequest, 'plan' | 'fields' | 'highlight'>,
  index: ReadableText | undefined): Highlighter | undefined
{
  const { plan, highlight: options } = request;
  if (options === undefined) return undefined;
  const matchers = new WordMatchers(plan, index);
  return async ({ lang, ...document }) => {
    const matcher = matchers.of({ lang, ...document });
    return matcher === undefined ? [] : highlightsOf(request, options, matcher, document);
  };
}

/**
 * The best passages of a document's body, then those of its metadata, the same maximum number of each; only in
 * searched fields.
 */
export async function highlightsOf({ fields }: Pick<SearchRequest, 'fields'>, options: Options, matcher: WordMatcher,
  document: Shown): Promise<Highlight[]>
{
  const code = isCodeDocument(document);
  const { contentMd } = document;
  const { marks, highlighted } = matcher;
  const tokens = code ? tokenizeCode : tokenize;
  const scan = marks && ((text: string | Buffer) => (code ? marks.scanBy(tokenizeCode, text) : marks.scan(text)));
  const all: HighlightOptions = { ...options, ...highlighted, tokens, scan, markdown: !code };
  const counts = (field: Field): boolean => fields?.includes(field) !== false;
  const body = counts(CONTENT)
    ? (await highlightInParts(contentMd, all)).map((found): Highlight => ({ field: FIELDS[CONTENT], ...found }))
    : [];
  return [...body, ...inMetadata(document.meta, counts, all, options.maxHighlights)];
}

/** At most one passage of each value: those with the most terms, in the order of the metadata. */
function inMetadata(meta: Meta, counts: (field: Field) => boolean, options: HighlightOptions,
  most: number): Highlight[]
{
  const found = Object.entries(meta).filter(([key]) => counts(fieldByName(nameOfKey(key)))).flatMap(([key, values]) =>
    values.flatMap((value, valueIndex) => (
      highlight(value, { ...options, maxHighlights: 1 }).map((one): Highlight => ({
        field: nameOfKey(key),
        valueIndex,
        ...one,
      }))
    ))
  );
  if (found.length <= most) return found;
  const best = new Set([...found].sort((a, b) => b.matchedTerms.length - a.matchedTerms.length).slice(0, most));
  return found.filter((one) => best.has(one));
}
