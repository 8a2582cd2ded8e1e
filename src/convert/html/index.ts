import type { Element, Root as Page } from 'hast';
import type { Nodes } from 'mdast';
import type { Parts, ReadOptions } from '../contract.ts';
import { removeBlanks } from './blanks.ts';
import { clean, resolveAddresses } from './clean.ts';
import { mainContent } from './main-content.ts';
import { htmlMeta } from './metadata.ts';
import { attribute, byName, decodeHtml, findAll, parseHtml } from './parse.ts';
import { treeOf } from './to-tree.ts';

/** How complete pages begin; a fragment contains none of these. */
const PAGE = /<(?:!doctype\s{1,20}html|html|head|body)[\s>]/i;

/**
 * HTML as a tree. Of a complete page the main content is kept, and the metadata is read from its head; a fragment is
 * kept completely. Scripts, forms, hidden elements and script URLs are left out.
 * @throws ConversionError `too_deep`
 */
export function readHtml(bytes: Uint8Array, options: ReadOptions): Parts {
  const { text, repaired } = decodeHtml(bytes, options.contentType);
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
  return { content: tree, meta, warnings: [], repaired };
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
