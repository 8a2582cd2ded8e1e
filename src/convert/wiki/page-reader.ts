import { SaxesParser } from 'saxes';
import { type Revision, WikiDumpError, type WikiPage } from './page.ts';
import { type Site, siteOf } from './site.ts';

/** Maximum number of characters of a page's text; MediaWiki itself saves at most two million bytes. */
const MAX_TEXT = 8_000_000;

/** Maximum number of characters of a title, name or any other small value. */
const MAX_VALUE = 2000;

/** Maximum number of characters without a tag, because the parser keeps an incomplete part in memory. */
const MAX_UNBROKEN = 40_000_000;

/** Maximum nesting depth; exports use seven levels. */
const MAX_DEPTH = 16;

/** Maximum number of namespaces; exports name some forty. */
const MAX_NAMESPACES = 2000;

interface Collecting {
  text: string;
  limit: number;
  isTooLong: boolean;
}

/**
 * Reads the pages of a MediaWiki export (versions 0.3 to 0.11) from XML that arrives in pieces, with one page in memory
 * at a time. Only XML's own entities are supported; a document type is refused.
 */
export class PageReader {
  readonly #parser: SaxesParser;
  readonly #path: string[] = [];
  readonly #namespaces: [string, number][] = [];
  #pages: WikiPage[] = [];
  #site: Site | undefined;
  #page: { title: string; ns: number; id: string; redirect: string | undefined; revision: Revision | undefined }
    | undefined;
  #revision: { -readonly [K in keyof Revision]: Revision[K] } | undefined;
  #value: Collecting | undefined;
  #namespace = 0;
  /** Number of characters since the last tag. */
  #unbroken = 0;

  constructor() {
    const parser = this.#parser = new SaxesParser();
    parser.on('error', (error) => {
      throw new WikiDumpError(`the XML is wrong: ${error.message.slice(0, 200)}`);
    });
    parser.on('doctype', () => {
      throw new WikiDumpError('the XML has a document type, which exports of wikis do not');
    });
    parser.on('opentag', ({ name, attributes }) => this.#open(name, attributes));
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
    parser.on('closetag', ({ name }) => this.#close(name));
  }

  /** Metadata of the wiki in the dump; complete before the first page. */
  get site(): Site {
    return this.#site ??= siteOf(this.#namespaces);
  }

  /**
   * Returns the pages that end in the next piece.
   * @throws {WikiDumpError}
   */
  read(text: string): WikiPage[] {
    this.#unbroken += text.length;
    this.#parser.write(text);
    if (this.#unbroken > MAX_UNBROKEN)
      throw new WikiDumpError(`more than ${MAX_UNBROKEN} characters come without a tag`, { isTooLarge: true });
    return this.#take();
  }

  /**
   * Returns the remaining pages at the end of the input.
   * @throws {WikiDumpError} also if the dump is cut off.
   */
  end(): WikiPage[] {
    if (this.#path.length > 0) throw new WikiDumpError('the dump is cut off: it ends within a tag');
    this.#parser.close();
    return this.#take();
  }

  #take(): WikiPage[] {
    const pages = this.#pages;
    this.#pages = [];
    return pages;
  }

  #open(name: string, attributes: Readonly<Record<string, unknown>>): void {
    this.#unbroken = 0;
    if (this.#path.length === 0 && name !== 'mediawiki')
      throw new WikiDumpError(`expected the export of a MediaWiki, found <${name.slice(0, 40)}>`);
    if (this.#path.length >= MAX_DEPTH)
      throw new WikiDumpError(`tags must not be nested deeper than ${MAX_DEPTH} levels`);
    this.#path.push(name);
    if (name === 'page') this.#page = { title: '', ns: 0, id: '', redirect: undefined, revision: undefined };
    else if (name === 'revision' && this.#page !== undefined)
      this.#revision = { id: '', timestamp: '', contributor: '', model: '', text: '', isTooLong: false };
    else if (name === 'redirect' && this.#page !== undefined)
      this.#page.redirect = String(attributes['title'] ?? '').slice(0, MAX_VALUE);
    else if (name === 'namespace') this.#namespace = Number(attributes['key'] ?? 0);
    this.#value = VALUES.has(name)
      ? { text: '', limit: name === 'text' ? MAX_TEXT : MAX_VALUE, isTooLong: false }
      : undefined;
  }

  #text(text: string): void {
    const value = this.#value;
    if (value === undefined || value.isTooLong) return;
    if (value.text.length + text.length <= value.limit) {
      value.text += text;
      return;
    }
    value.isTooLong = true;
    value.text = '';
  }

  #close(name: string): void {
    this.#unbroken = 0;
    this.#path.pop();
    const parent = this.#path.at(-1);
    const value = this.#value;
    this.#value = undefined;
    if (name === 'page' && this.#page !== undefined) {
      this.#pages.push(this.#page);
      this.#page = undefined;
    } else if (name === 'revision' && this.#page !== undefined) {
      this.#page.revision = this.#revision;
      this.#revision = undefined;
    } else if (value !== undefined) this.#keep(name, parent, value);
  }

  #keep(name: string, parent: string | undefined, { text, isTooLong }: Collecting): void {
    if (name === 'namespace') {
      if (this.#namespaces.length < MAX_NAMESPACES) this.#namespaces.push([text, this.#namespace]);
    } else if (parent === 'page') {
      if (name === 'title') this.#page!.title = text;
      else if (name === 'ns') this.#page!.ns = Number(text);
      else if (name === 'id') this.#page!.id = text.trim();
    } else if (this.#revision !== undefined) {
      if (parent === 'contributor' && (name === 'username' || name === 'ip')) this.#revision.contributor = text;
      else if (parent !== 'revision') return;
      else if (name === 'id' || name === 'timestamp' || name === 'model') this.#revision[name] = text.trim();
      else if (name === 'text') Object.assign(this.#revision, { text, isTooLong });
    }
  }
}

const VALUES = new Set(['title', 'ns', 'id', 'timestamp', 'model', 'text', 'username', 'ip', 'namespace']);
