import type { Element, ElementContent, Nodes, Root } from 'hast';
import { attribute, byName, findAll, isElement, textLength } from './parse.ts';

/** Elements without text for a reader, in pages and in fragments. */
const DROPPED = new Set(['script', 'style', 'template', 'noscript', 'svg', 'canvas', 'iframe', 'object', 'embed',
  'applet', 'video', 'audio', 'map', 'button', 'input', 'select', 'textarea', 'dialog', 'head', 'link', 'meta',
  'datalist', 'progress', 'meter', 'title', 'noembed', 'noframes']);
/** ARIA landmarks that surround the content of a page. */
const AROUND = new Set(['navigation', 'search', 'menu', 'menubar', 'toolbar', 'tablist', 'dialog', 'alertdialog']);

/** Names that authors use for parts that surround the content; such a part is removed only if it consists of links. */
const AROUND_NAME =
  /(?:^|[-_\s])(?:side-?bar|widgets?|bread-?crumbs?|nav|navbar|navigation|menu|related|share|sharing|social|cookies?|adverts?|ads|promo|pagination|pager|masthead|footer)(?:$|[-_\s])/i;
const LINKS_SHARE = 0.5;

/** Removes everything that is not text from a tree, in place; from a page also its navigation. */
export function clean(root: Root, page: boolean): void {
  cleanChildren(root, page);
}

function cleanChildren(parent: Root | Element, page: boolean): void {
  parent.children = (parent.children as ElementContent[]).filter((child) => {
    if (!isElement(child)) return child.type === 'text';
    if (isDropped(child) || (page && isAround(child))) return false;
    cleanChildren(child, page);
    return true;
  }).flatMap((
    child,
  ) => (isElement(child) && INLINE.has(child.tagName) && child.children.some(isBlock) ? child.children : [child]));
}

/** Inline marks that were not closed enclose the blocks that follow, which would become one line. */
const INLINE = new Set(['b', 'i', 'u', 's', 'em', 'strong', 'font', 'span', 'small', 'big', 'code', 'tt', 'sub', 'sup',
  'del', 'ins', 'center', 'label']);
const BLOCKS = new Set(['p', 'div', 'ul', 'ol', 'dl', 'table', 'blockquote', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'hr', 'section', 'article', 'figure', 'li', 'details', 'aside', 'header', 'footer', 'main']);

function isBlock(node: ElementContent): boolean {
  return isElement(node) && BLOCKS.has(node.tagName);
}

function isDropped(element: Element): boolean {
  if (DROPPED.has(element.tagName)) {
    // The checkbox of a task list becomes text.
    return !(element.tagName === 'input' && attribute(element, 'type') === 'checkbox');
  }
  if (element.properties['hidden'] != null && element.properties['hidden'] !== false) return true;
  return /(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)/i.test(
    attribute(element, 'style')?.slice(0, 2000) ?? '',
  );
}

function isAround(element: Element): boolean {
  if (element.tagName === 'nav') return true;
  if (attribute(element, 'ariaHidden') === 'true' && element.tagName !== 'body') return true;
  if (AROUND.has(attribute(element, 'role') ?? '')) return true;
  const name = `${attribute(element, 'className') ?? ''} ${attribute(element, 'id') ?? ''}`.slice(0, 500);
  return AROUND_NAME.test(name) && !['html', 'body', 'main', 'article'].includes(element.tagName) &&
    linksShare(element) > LINKS_SHARE;
}

function linksShare(element: Element): number {
  const links = findAll(element, byName('a')).reduce((sum, link) => sum + textLength(link), 0);
  return links / Math.max(1, textLength(element));
}

/** Makes addresses of links and pictures absolute, and removes invalid ones. */
export function resolveAddresses(node: Nodes, base: string | undefined): void {
  if (isElement(node)) {
    if (node.properties['href'] != null) node.properties['href'] = address(attribute(node, 'href') ?? '', base);
    if (node.tagName === 'img') {
      const source = attribute(node, 'src') ?? attribute(node, 'dataSrc') ?? '';
      node.properties['src'] = address(source, base);
    }
  }
  if ('children' in node) { for (const child of node.children) resolveAddresses(child, base); }
}

/** Returns undefined for script URLs, data URLs, and texts that cannot be parsed as a URL. */
function address(value: string, base: string | undefined): string | undefined {
  const trimmed = value.trim();
  if (trimmed === '' || trimmed.length > 4000 ||
    /^[\s\u0000-\u001f]{0,20}(?:javascript|data|vbscript|blob|about)\s{0,9}:/i.test(trimmed)) return undefined;
  if (base === undefined || trimmed.startsWith('#')) return trimmed;
  return URL.canParse(trimmed, base) ? new URL(trimmed, base).href : trimmed;
}
