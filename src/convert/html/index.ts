import type { Element, Root, Root as Page } from 'hast';
import type { Nodes, Root as MarkdownRoot } from 'mdast';
import type { ConvertedMeta, Parts, ReadOptions } from '../contract.ts';
import { metaOf } from '../meta.ts';
import { clean, removeBlanks, resolveAddresses } from './clean.ts';
import { drawsFormulas } from './formulas.ts';
import { mainContent } from './main-content.ts';
import { attribute, byName, decodeHtml, findAll, parseHtml, rawText, textLength } from './parse.ts';
import { rewrite } from './rewrite.ts';
import { isInlineFormula, treeOf } from './to-tree.ts';

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
  const content = contentOf(root, text, page);
  const { instead, content: shown } = hasText(content) ? { content } : withoutText(text, meta);
  return { content: treeOfContent(shown, base), meta, warnings, repaired, ...(instead !== undefined && { instead }) };
}

/** What stands for a page whose body shows nothing: its title and description, or the reason why there is nothing. */
function withoutText(source: string, { title }: ConvertedMeta): { content: Root; instead?: string } {
  const root = parseHtml(source);
  const description = findAll(root, byName('meta')).find((element) =>
    /^(?:og:)?description$/i.test(attribute(element, 'name') ?? attribute(element, 'property') ?? '')
  );
  const [scripts, pictures] = ['script', 'img'].map((name) => findAll(root, byName(name)).length);
  const said = [element('h1', title?.[0]), element('p', attribute(description, 'content'))].filter((part) =>
    part !== undefined
  );
  return {
    content: { type: 'root', children: said },
    instead: scripts! > 0
      ? 'because scripts put it into the page; save it from a browser as a complete page'
      : pictures! > 0
      ? 'only pictures without a description'
      : 'only markup',
  };
}

function element(tagName: string, text: string | undefined): Element | undefined {
  const value = text?.trim() ?? '';
  return value === '' ? undefined : { type: 'element', tagName, properties: {}, children: [{ type: 'text', value }] };
}

/** The part of a page that is converted: its main content, or all of it if nothing else is left. */
function contentOf(root: Root, source: string, page: boolean): Root | Element {
  const whole = prepared(root, source);
  if (!page) return whole;
  const content = mainContent(whole);
  if (hasText(content)) return content;
  const again = prepared(parseHtml(source), source);
  return hasText(again) ? again : prepared(parseHtml(source, false), source, true);
}

function prepared(root: Root, source: string, noscript = false): Root {
  rewrite(root, { drawsFormulas: drawsFormulas(source), noscript });
  clean(root, noscript);
  return root;
}

/** Whether a reader finds anything: text, or a picture with a description. */
function hasText(node: Root | Element): boolean {
  return textLength(node) > 0 || findAll(node, (element) => Boolean(attribute(element, 'alt'))).length > 0;
}

function treeOfContent(content: Root | Element, base: string | undefined): MarkdownRoot {
  resolveAddresses(content, base);
  removeBlanks(content);
  const tree = treeOf({ type: 'root', children: content.children } as Page);
  tidy(tree);
  return tree;
}

function baseOf(root: Page, page: string | undefined): string | undefined {
  const base: Element | undefined = findAll(root, byName('base'))[0];
  const href = attribute(base, 'href');
  if (href === undefined) return page;
  return URL.canParse(href, page) ? new URL(href, page).href : page;
}

/** Removes links without a target or text, and pictures without a description; formulas become text for the printer. */
function tidy(node: Nodes): void {
  if (!('children' in node)) return;
  const children = node.children as Nodes[];
  for (const child of children) tidy(child);
  node.children = children.flatMap((child): Nodes[] => {
    if (child.type === 'image')
      return !child.alt ? [] : child.url === '' ? [{ type: 'text', value: child.alt }] : [child];
    if (child.type === 'link') return child.children.length === 0 ? [] : child.url === '' ? child.children : [child];
    if ('value' in child && isInlineFormula(child)) return [{ type: 'html', value: child.value }];
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
