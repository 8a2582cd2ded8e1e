import type { Operations } from '../../../../generated/docs/operations.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import { Pace } from '../../../lib/pace.ts';
import type { InputOf, OutputOf } from '../../../operations/index.ts';
import { gathered, Guesses } from '../../../search/parts/index.ts';
import { foldDiacritics } from '../../../text/folding.ts';
import { headingsOf } from '../../../text/headings.ts';
import type { QueryNode } from '../../../text/query/index.ts';
import { tokenize } from '../../../text/tokenize.ts';
import { readRows } from '../../search/index.ts';
import { PLAIN } from '../view/analyzers.ts';
import { PROSE_CLASSES } from '../view/document-classes.ts';
import { CONTENT, type Field, FIELDS, type ReadableText } from '../view/text-index.ts';
import { fieldByName, isUntitled, nameOfField } from '../view/to-indexed.ts';
import type { SearchDeps } from './search-full-text.ts';

type Input = InputOf<Operations, 'autocomplete'>;
type Output = OutputOf<Operations, 'autocomplete'>;
type Item = Output['items'][number];

/** Maximum number of dictionary entries that one call reads (contract section 8). */
const MAX_SCAN = 10_000;
/** Maximum number of characters of a prefix that are used. */
const MAX_PREFIX = 32;

/**
 * `GET /v1/autocomplete` (contract section 4, "Full-text search"): completes words, and for several words phrases and
 * titles.
 */
export async function autocomplete(deps: SearchDeps, { collection, q, field, topN }: Input): Promise<Output> {
  const prefixes = toPrefixes(q);
  const words = prefixes.length === 0 ? [] : await completeWord(deps, collection, { prefixes, field, limit: topN });
  const phrases = await completePhrases(deps, {
    collection,
    text: q,
    field: field === '' ? undefined : fieldByName(field),
    limit: topN,
  });
  // Words that a text of several words begins when they are joined, such as `howto`, leave half of the place.
  const room = Math.max(topN - phrases.length, Math.ceil(topN / 2));
  const items = [...words.slice(0, room), ...phrases].slice(0, topN).sort(byDocuments);
  return { items, total: items.length, query: q, field };
}

/**
 * Lowercased letters and digits, at most 32. Identifiers of source code have other characters besides, so the possible
 * beginning of one is looked up as well.
 */
function toPrefixes(q: string): string[] {
  const text = q.normalize('NFC').toLowerCase();
  const prefixes = [text.replace(/[^\p{L}\p{N}]/gu, ''), text.trim().replace(/[^\p{L}\p{M}\p{N}_$-]/gu, '')];
  // A hyphen alone begins no identifier, and every word begins with the empty string.
  return prefixes[0] === '' ? [] : [...new Set(prefixes.map((prefix) => [...prefix].slice(0, MAX_PREFIX).join('')))];
}

interface WordCompletion {
  readonly prefixes: readonly string[];
  /** Empty for all. */
  readonly field: string;
  readonly limit: number;
}

/** Words that begin with a prefix, those of most documents first. A stop word is one of them if it is a title. */
async function completeWord(deps: SearchDeps, collection: string,
  { prefixes, field: name, limit }: WordCompletion): Promise<Item[]>
{
  const index = deps.view.indexOf(collection);
  if (index === undefined) return [];
  const field = name === '' ? undefined : fieldByName(name);
  const stopWords = deps.dictionaries.stopWordsOf(collection, deps.settings.defaultLang);
  const mayBeTitle = field === undefined || field === TITLE;
  const found = await gathered(() =>
    index.complete({
      prefixes,
      scan: MAX_SCAN,
      limit: limit + (mayBeTitle ? stopWords.size : 0),
      isStopWord: (form) => !mayBeTitle && stopWords.has(form),
      field,
    })
  );
  const items: Item[] = [];
  for (const { term, field: of, documents } of found) {
    if (items.length === limit) break;
    if (stopWords.has(term) && !await isTitle(deps, index, term)) continue;
    items.push({ term, field: name || nameOfField(of), docCount: documents });
  }
  return items;
}

/** Titles of a stop word that are read: a title of one word is before longer ones. */
const FEW_TITLES = 10;

/** Whether a word is the whole title of a document. */
async function isTitle(deps: SearchDeps, index: ReadableText, form: string): Promise<boolean> {
  const { hits } = await gathered(() =>
    index.search({
      readings: [{ classes: PROSE_CLASSES, root: { kind: 'term', form, start: 0, end: 0 }, analyzer: PLAIN }],
      algorithm: 'bm25',
      fields: [TITLE],
      limit: FEW_TITLES,
    })
  );
  const titles = hits.length === 0 ? [] : await titlesOf(deps, hits.map(({ ord }) => ord));
  return titles.some((title) => tokenize(title).map((token) => token.form).join(' ') === form);
}

/** Several words, or the parts of one (`array.pro`); the last is still being typed. */
interface PhraseCompletion {
  readonly collection: string;
  readonly text: string;
  /** The only field to search; if absent, phrases are searched in the body and titles in the title. */
  readonly field?: Field;
  readonly limit: number;
}

/** A phrase or a title, its field, and the number of documents that have it. */
interface CompletedPhrase {
  readonly term: string;
  readonly field: string;
  readonly docCount: number;
}

const TITLE: Field = FIELDS.indexOf('meta.title');
/** Only the last words of the typed text are used, at most this many. */
const MAX_WORDS = 6;
/** Maximum number of completions of the last word; each of them is searched for. */
const MAX_ENDINGS = 40;
/** Maximum documents whose titles are read, and maximum bytes of their metadata and bodies. */
const MAX_TITLES = 100;
const MAX_META_BYTES = 2 ** 20;
const MAX_BODY_BYTES = 2 ** 20;

/**
 * Phrases of a collection that begin with a text, and titles that contain it, by number of documents descending; none
 * for a single word.
 */
async function completePhrases(deps: SearchDeps,
  { collection, text, field, limit }: PhraseCompletion): Promise<CompletedPhrase[]>
{
  const index = deps.view.indexOf(collection);
  const words = tokenize(text).map(({ form }) => form).slice(-MAX_WORDS);
  const last = words.pop();
  if (index === undefined || last === undefined || words.length === 0) return [];
  const titles = field === undefined || field === TITLE
    ? await completeTitles(deps, index, { words, last, limit })
    : [];
  const phrases = field === TITLE
    ? []
    : await gathered(() => completeInField(index, { words, last }, field ?? CONTENT));
  // A title usually has one document only, so ordering by frequency alone would leave no place for titles.
  const room = Math.max(limit - titles.length, Math.ceil(limit / 2));
  return [...phrases.slice(0, room), ...titles].slice(0, limit).sort(byDocuments);
}

interface Typed {
  readonly words: readonly string[];
  readonly last: string;
}

async function completeInField(index: ReadableText, { words, last }: Typed, field: Field): Promise<CompletedPhrase[]> {
  const pace = new Pace();
  const guesses = new Guesses();
  const found: CompletedPhrase[] = [];
  for (const { term } of index.complete({
    prefixes: [last],
    field,
    scan: MAX_SCAN,
    limit: MAX_ENDINGS,
    isStopWord: () => false,
  })) {
    const forms = [...words, term];
    const docCount = guesses.guess(() => count(index, { kind: 'phrase', forms, start: 0, end: 0 }, field), 0);
    if (docCount > 0) found.push({ term: forms.join(' '), field: nameOfField(field), docCount });
    await pace.rest();
  }
  guesses.check();
  return found.sort(byDocuments);
}

function count(index: ReadableText, root: QueryNode, field: Field): number {
  return index.search({
    readings: [{ classes: PROSE_CLASSES, root, analyzer: PLAIN }],
    algorithm: 'bm25',
    fields: [field],
    limit: 0,
  }).total;
}

async function completeTitles(deps: SearchDeps, index: ReadableText,
  { words, last, limit }: Typed & { readonly limit: number }): Promise<CompletedPhrase[]>
{
  const at = { start: 0, end: 0 };
  const before: QueryNode = words.length === 1
    ? { kind: 'term', form: words[0]!, ...at }
    : { kind: 'phrase', forms: words, ...at };
  const ending: QueryNode = { kind: 'wildcard', pattern: `${last}*`, completes: true, ...at };
  const root: QueryNode = { kind: 'group', required: [before, ending], optional: [], excluded: [], ...at };
  const { hits } = await gathered(() =>
    index.search({
      readings: [{ classes: PROSE_CLASSES, root, analyzer: PLAIN }],
      algorithm: 'bm25',
      fields: [TITLE],
      limit: MAX_TITLES,
    })
  );
  const counts = new Map<string, number>();
  for (const title of await titlesOf(deps, hits.map(({ ord }) => ord))) {
    if (continues(title, { words, last })) counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return [...counts].slice(0, limit).map(([term, docCount]) => ({ term, field: nameOfField(TITLE), docCount }));
}

/**
 * The titles of documents of prose as they are indexed, in the order of the documents: from the metadata, else the
 * first heading.
 */
async function titlesOf({ sql, codec, clock }: SearchDeps, ords: readonly number[]): Promise<string[]> {
  const rows = await readRows(sql, ords, { withBodies: false, mostBytes: MAX_META_BYTES });
  // The title of a document that has expired must not be shown, though the index has it until it is removed.
  const now = unixSeconds(clock);
  for (const [ord, { expires_at: expiresAt }] of rows) if (expiresAt !== null && expiresAt <= now) rows.delete(ord);
  const titles = new Map(
    [...rows].flatMap((
      [ord, { meta }],
    ) => (meta === null ? [] : [[ord, (JSON.parse(meta) as { title?: string[] }).title ?? []] as const])),
  );
  const untitled = [...titles].filter(([ord, given]) => isUntitled(given) && rows.get(ord)!.bytes <= MAX_BODY_BYTES)
    .map(([ord]) => ord);
  const pace = new Pace();
  for (const [ord, { body }] of await readRows(sql, untitled, { withBodies: true, mostBytes: MAX_BODY_BYTES })) {
    if (body !== null) titles.set(ord, headingsOf(await codec.decodeAsync(body), 1));
    await pace.rest();
  }
  return [...titles.values()].flat();
}

/** Whether a title contains the words in a row, the last of them as the beginning of a word. */
function continues(title: string, { words, last }: Typed): boolean {
  const wanted = words.map(foldDiacritics);
  const beginning = foldDiacritics(last);
  const forms = tokenize(title).map(({ form }) => foldDiacritics(form));
  return forms.some((form, i) =>
    form.startsWith(beginning) && i >= wanted.length && wanted.every((word, j) => forms[i - wanted.length + j] === word)
  );
}

function byDocuments(a: CompletedPhrase, b: CompletedPhrase): number {
  return b.docCount - a.docCount || (a.term < b.term ? -1 : 1);
}
