// Questions with a known answer: what users type to find a page that they know, drawn from the English pages of MDN
// with a seeded generator. Pages with more links to them occur more often. A query is in the set if few pages have its
// name; all of them count as right.
import { formsOf } from '../../src/text/tokenize.ts';
import { corpusFolder, linesOf, seeded } from '../support/corpus.ts';

export interface Page {
  /** Its path without the folder of the language and without `index.md`. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** How a query was derived from a page: see `queryOf`. */
export type QueryForm = (typeof QUERY_FORMS)[number];
export const QUERY_FORMS = ['title', 'subject', 'identifier', 'segment', 'path', 'heading', 'keyword', 'link'] as const;

export interface KnownItem {
  readonly query: string;
  readonly form: QueryForm;
  /** Ids of the pages that are right. */
  readonly expected: ReadonlySet<string>;
  /** Weights are fitted on one half, and the other half is measured. */
  readonly half: 'fitting' | 'test';
}

export interface KnownItems {
  readonly pages: readonly Page[];
  readonly items: readonly KnownItem[];
}

const FILES = ['mdn-en.ndjson.gz', 'mdn-en-more.ndjson.gz'];
const SEED = 20_261_123;
const QUERIES_OF_A_FORM = 200;
/** A name that more pages have is too ambiguous. */
const MOST_EXPECTED = 3;
/** A link text that is used less often may be a mistake. */
const LEAST_LINKS = 2;
/** Headings with fewer words are too general. */
const HEADING_WORDS = 3;
/** Names of the kinds of pages, as they appear at the end of titles. */
const KIND =
  /\s+(?:method|property|event|constructor|header|attribute|role|function|interface|extension|directive|element|static method|static property|text instruction)$/i;

interface Row {
  readonly path: string;
  readonly frontmatter: { readonly 'title': string; readonly 'short-title'?: string; readonly 'page-type'?: string };
  readonly body: string;
}

/** A page with its possible names. */
interface Named extends Page {
  readonly shortTitle: string | undefined;
  readonly pageType: string;
}

/** The pages and the queries; undefined if the pages are not available. Identical on each call. */
export async function knownItems(): Promise<KnownItems | undefined> {
  const folder = corpusFolder('docs-mdn');
  if (folder === undefined) return undefined;
  const pages: Named[] = [];
  for (const file of FILES) {
    for await (const line of linesOf(`${folder}/${file}`)) if (line !== '') pages.push(toPage(JSON.parse(line) as Row));
  }
  return { pages: pages.map(({ id, title, text }) => ({ id, title, text })), items: draw(pages) };
}

function toPage({ path, frontmatter, body }: Row): Named {
  return {
    id: path.replace(/^files\/en-us\//, '').replace(/\/index\.md$/, ''),
    title: String(frontmatter.title),
    text: body,
    shortTitle: frontmatter['short-title'],
    pageType: frontmatter['page-type'] ?? '',
  };
}

function draw(pages: readonly Named[]): KnownItem[] {
  const random = seeded(SEED);
  const known: Knowledge = { names: namesOf(pages), headings: headingsOf(pages), links: linksOf(pages) };
  const items: KnownItem[] = [];
  const seen = new Set<string>();
  for (const form of QUERY_FORMS) {
    const drawn: KnownItem[] = [];
    for (const page of drawnByLinks(pages, known.links, random)) {
      if (drawn.length === QUERIES_OF_A_FORM) break;
      const query = queryOf(form, page, known, random);
      if (query === undefined || nameOf(query) === '' || seen.has(query.toLowerCase())) continue;
      const expected = UNNAMED.has(form) ? new Set([page.id]) : known.names.get(nameOf(query));
      if (expected === undefined || expected.size > MOST_EXPECTED || !expected.has(page.id)) continue;
      seen.add(query.toLowerCase());
      // Halves of equal size in each form.
      drawn.push({ query, form, expected, half: drawn.length % 2 === 0 ? 'fitting' : 'test' });
    }
    items.push(...drawn);
  }
  return items;
}

/** Forms whose queries are not names of pages; `queryOf` derives them from something that only one page has. */
const UNNAMED: ReadonlySet<QueryForm> = new Set(['heading', 'link']);

interface Knowledge {
  /** Pages by each of their names. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
  /** Number of pages that have each heading. */
  readonly headings: ReadonlyMap<string, number>;
  readonly links: Links;
}

/**
 * - `title`: its words in lower case, without punctuation
 * - `subject`: the title without the kind of page, written as in code: `EventTarget.addEventListener`
 * - `identifier`: the last name of a subject, with its spelling: `addEventListener`
 * - `segment`, `path`: the last segment of the path, and the last two, as words: `array map`
 * - `heading`: a heading that no other page has, and the page's subject, in lower case
 * - `keyword`: the unchanged title of a page about a keyword or symbol of a language: `for...of`, `this`
 * - `link`: the link text that other pages use for it and for no other page, if that is not its title
 */
function queryOf(form: QueryForm, page: Named, { names, headings, links }: Knowledge, random: () => number): string
  | undefined
{
  switch (form) {
    case 'title':
      return nameOf(page.title);
    case 'subject':
      return subjectOf(page.title).replace(/:\s+/, '.').replace(/\(\)$/, '');
    case 'identifier': {
      const name = memberOf(page.title);
      return name !== undefined && /[a-z][A-Z]|_/.test(name) ? name : undefined;
    }
    case 'segment':
      return segmentsOf(page, 1);
    case 'path':
      return segmentsOf(page, 2);
    case 'heading': {
      const own = [...headingsIn(page.text)].filter((heading) =>
        headings.get(nameOf(heading)) === 1 && formsOf(heading).length >= HEADING_WORDS
      );
      const heading = own[Math.floor(random() * own.length)];
      return heading === undefined ? undefined : [...new Set(formsOf(`${heading} ${subjectOf(page.title)}`))].join(' ');
    }
    case 'keyword':
      return KEYWORDS.test(page.pageType) ? page.title.replace(/[<>`]/g, '') : undefined;
    case 'link': {
      const texts = links.texts.get(page.id) ?? [];
      const own = texts.filter((text) => !names.has(nameOf(text)));
      return own[Math.floor(random() * own.length)];
    }
  }
}

/** Kinds of pages about a keyword or symbol of a language. */
const KEYWORDS = /^(?:javascript-(?:statement|operator|language-feature)|html-element|css-property|svg-element)$/;

function nameOf(text: string): string {
  return formsOf(text).join(' ');
}

function segmentsOf({ id }: Named, count: number): string {
  return nameOf(id.split('/').slice(-count).join(' ').replaceAll('_', ' '));
}

function subjectOf(title: string): string {
  return title.replace(KIND, '').replaceAll('`', '').trim();
}

/** The last name of a title such as `EventTarget: addEventListener() method` or `Array.prototype.map()`. */
function memberOf(title: string): string | undefined {
  return /^(?:[\w$]+(?:\.|: ))*([\w$]+)(?:\(\))?$/.exec(subjectOf(title))?.[1];
}

function namesOf(pages: readonly Named[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const page of pages) {
    const { id, title, shortTitle } = page;
    const own = [title, subjectOf(title), memberOf(title), shortTitle, shortTitle && subjectOf(shortTitle),
      segmentsOf(page, 1), segmentsOf(page, 2)];
    for (const name of own) {
      const known = nameOf(name ?? '');
      if (known !== '') names.set(known, (names.get(known) ?? new Set()).add(id));
    }
  }
  return names;
}

function headingsOf(pages: readonly Named[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of pages)
    for (const name of new Set([...headingsIn(text)].map(nameOf))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function headingsIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(/^#{2,4} +(.*\S)/gm), ([, heading]) => heading!));
}

interface Links {
  /** Number of links to each page. */
  readonly counts: ReadonlyMap<string, number>;
  /** Link texts that lead only to this page. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** Targets of MDN's macros. */
const MACROS: Readonly<Record<string, string>> = {
  domxref: 'web/api',
  cssxref: 'web/css/reference/properties',
  jsxref: 'web/javascript/reference/global_objects',
  htmlelement: 'web/html/reference/elements',
  glossary: 'glossary',
};

function linksOf(pages: readonly Named[]): Links {
  const ids = new Set(pages.map(({ id }) => id));
  const counts = new Map<string, number>();
  const pagesOf = new Map<string, string[]>();
  const note = (id: string, text?: string): void => {
    if (!ids.has(id)) return;
    counts.set(id, (counts.get(id) ?? 0) + 1);
    if (text !== undefined) pagesOf.set(text, [...pagesOf.get(text) ?? [], id]);
  };
  for (const { text } of pages) {
    for (const [, link, path] of text.matchAll(/\[([^\]]+)\]\(\/en-US\/docs\/([^)#\s]+)\)/g))
      note(path!.toLowerCase(), nameOf(link!));
    for (const [, macro, name] of text.matchAll(/\{\{\s*(\w+)\(["']([^"']+)["']/g)) {
      const folder = MACROS[macro!.toLowerCase()];
      if (folder !== undefined)
        note(
          `${folder}/${
            name!.toLowerCase().replace(/\(\)$/, '').replace('.prototype.', '/').replaceAll('.', '/').replaceAll(' ',
              '_')
          }`,
        );
    }
  }
  const texts = new Map<string, string[]>();
  for (const [text, led] of pagesOf) {
    const [id] = led;
    if (led.length >= LEAST_LINKS && text.includes(' ') && led.every((other) => other === id))
      texts.set(id!, [...texts.get(id!) ?? [], text]);
  }
  return { counts, texts };
}

/**
 * The pages in a random order in which pages with more links to them tend to come first (Efraimidis and Spirakis,
 * 2006).
 */
function drawnByLinks(pages: readonly Named[], { counts }: Links, random: () => number): Named[] {
  return pages.map((page) => ({ page, place: random() ** (1 / (counts.get(page.id) ?? 0.1)) })).sort((a, b) =>
    b.place - a.place
  ).map(({ page }) => page);
}
