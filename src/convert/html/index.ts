import type { Element, Root, Root as Page } from 'hast';
import type { Nodes } from 'mdast';
import type { ConvertedMeta, Parts, ReadOptions } from '../contract.ts';
import { metaOf } from '../meta.ts';
import { clean, removeBlanks, resolveAddresses } from './clean.ts';
import { mainContent } from './main-content.ts';
import { attribute, byName, decodeHtml, findAll, parseHtml, rawText } from './parse.ts';
import { treeOf } from './to-tree.ts';

/** How complete pages begin; a fragment contains none of these. */
const PAGE = /<(?:!doctype\s{1,20}html|html|head|body)[\s>]/i;

/**
 * HTML as a tree. Of a complete page the main content is kept, and the metadata is read from its head; a fragment is
 * kept completely. Scripts, forms, hidden elements and script URLs are left out.
 * @throws ConversionError `too_deep`
 */
export function readHtml(bytes: Uint8Array, options: ReadOptions): Parts {
  const { text, repaired, warnings } = decodeHtml(bytes, options.contentType);
  const page = options.mainContent ?? PAGE.test(text.slice(0, 100_000));
  const root = parseHtml(text);
  const meta = htmlMeta(root);
  const base = baseOf(root, options.baseUrl);
  clean(root, page);
  const content = page ? mainContent(root, text) : root;
  resolveAddresses(content, base);
  removeBlanks(content);
  const tree = treeOf({ type: 'root', children: content.children } as Page);
  tidy(tree);
  return { content: tree, meta, warnings, repaired };
}

function baseOf(root: Page, page: string | undefined): string | undefined {
  const base: Element | undefined = findAll(root, byName('base'))[0];
  const href = attribute(base, 'href');
  if (href === undefined) return page;
  return URL.canParse(href, page) ? new URL(href, page).href : page;
}

/** Removes links without a target or text, and pictures without a description. */
function tidy(node: Nodes): void {
  if (!('children' in node)) return;
  const children = node.children as Nodes[];
  for (const child of children) tidy(child);
  node.children = children.flatMap((child): Nodes[] => {
    if (child.type === 'image')
      return !child.alt ? [] : child.url === '' ? [{ type: 'text', value: child.alt }] : [child];
    if (child.type === 'link') return child.children.length === 0 ? [] : child.url === '' ? child.children : [child];
    // Elements that become empty by this would leave a mark without text.
    if (['emphasis', 'strong', 'delete', 'paragraph', 'heading'].includes(child.type) && 'children' in child &&
      child.children.length === 0) return [];
    return [child];
  }) as typeof node.children;
}

/** Names of `<meta>` for each key, the most specific first: of Open Graph, Dublin Core and HTML itself. */
const NAMES = {
  title: ['og:title', 'dc.title', 'dcterms.title'],
  author: ['author', 'article:author', 'dc.creator', 'dcterms.creator', 'citation_author', 'parsely-author'],
  created: ['article:published_time', 'datepublished', 'dcterms.created', 'dcterms.issued', 'dc.date', 'date',
    'citation_publication_date'],
  modified: ['article:modified_time', 'og:updated_time', 'datemodified', 'dcterms.modified', 'last-modified'],
  lang: ['content-language', 'dc.language', 'dcterms.language'],
};

/** The metadata in the head of a page. */
export function htmlMeta(root: Root): ConvertedMeta {
  const values = new Map<string, string[]>();
  for (const element of findAll(root, byName('meta'))) {
    const name =
      (attribute(element, 'name') ?? attribute(element, 'property') ?? attribute(element, 'itemProp') ??
        attribute(element, 'httpEquiv'))?.toLowerCase();
    const content = attribute(element, 'content')?.trim();
    if (name === undefined || !content) continue;
    const others = values.get(name);
    if (others === undefined) values.set(name, [content]);
    else others.push(content);
  }
  const said = (names: readonly string[]) =>
    names.map((name) => values.get(name)).find((found) => found !== undefined) ?? [];
  const html = findAll(root, byName('html'))[0];
  const title = findAll(root, byName('title'))[0];
  const heading = findAll(root, byName('h1'))[0];
  return metaOf({
    title: (title && rawText(title).trim()) || said(NAMES.title)[0] || (heading && rawText(heading)),
    // An author that is a URL is a profile, not a name.
    author: said(NAMES.author).filter((author) => !/^https?:/i.test(author)),
    lang: attribute(html, 'lang') ?? attribute(html, 'xmlLang') ?? said(NAMES.lang)[0],
    created: said(NAMES.created)[0],
    modified: said(NAMES.modified)[0],
  });
}
