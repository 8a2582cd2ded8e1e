import type { Element, ElementContent, Nodes, Root, Text } from 'hast';
import { FORMULA } from './formulas.ts';
import { attribute, classes, isElement } from './parse.ts';

/** Elements without text for a reader, in pages and in fragments. */
const DROPPED = new Set(['script', 'style', 'template', 'noscript', 'svg', 'canvas', 'iframe', 'object', 'embed',
  'applet', 'video', 'audio', 'map', 'button', 'input', 'select', 'textarea', 'dialog', 'head', 'link', 'meta',
  'datalist', 'progress', 'meter', 'title', 'noembed', 'noframes']);

/** Removes what is no text from a tree, in place; with `noscript`, what browsers without scripts show is kept. */
export function clean(root: Root, noscript = false): void {
  cleanChildren(root, controlledIn(root), noscript);
}

function cleanChildren(parent: Root | Element, controlled: ReadonlySet<string>, noscript: boolean): void {
  parent.children = (parent.children as ElementContent[]).filter((child) => {
    if (!isElement(child)) return child.type === 'text';
    if (isDropped(child, controlled) && !(noscript && child.tagName === 'noscript')) return false;
    cleanChildren(child, controlled, noscript);
    return true;
  }).flatMap((
    child,
  ) => (isElement(child) && INLINE.has(child.tagName) && child.children.some(isBlock) ? child.children : [child]));
}

/** Identifiers of what tabs and heads of accordions show when somebody clicks them. */
function controlledIn(root: Root): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: Nodes): void => {
    if (isElement(node)) {
      for (const name of ['ariaControls', 'dataBsTarget', 'dataTarget', 'dataTab']) {
        for (const id of (attribute(node, name) ?? '').split(/\s+/)) found.add(id.replace(/^#/, ''));
      }
      const role = attribute(node, 'role') ?? attribute(node, 'dataToggle') ?? attribute(node, 'dataBsToggle') ?? '';
      if (/^(?:tab|pill|collapse)$/.test(role)) found.add((attribute(node, 'href') ?? '').replace(/^#/, ''));
    }
    if ('children' in node) node.children.forEach(visit);
  };
  visit(root);
  found.delete('');
  return found;
}

/** Inline marks that were not closed enclose the blocks that follow, which would become one line. */
const INLINE = new Set(['b', 'i', 'u', 's', 'em', 'strong', 'font', 'span', 'small', 'big', 'code', 'tt', 'sub', 'sup',
  'del', 'ins', 'center', 'label']);
const BLOCKS = new Set(['p', 'div', 'ul', 'ol', 'dl', 'table', 'blockquote', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'hr', 'section', 'article', 'figure', 'li', 'details', 'aside', 'header', 'footer', 'main']);

function isBlock(node: ElementContent): boolean {
  return isElement(node) && BLOCKS.has(node.tagName);
}

function isDropped(element: Element, controlled: ReadonlySet<string>): boolean {
  if (DROPPED.has(element.tagName)) {
    // The checkbox of a task list becomes text.
    return !(element.tagName === 'input' && attribute(element, 'type') === 'checkbox');
  }
  return isHidden(element) && !isShownLater(element, controlled);
}

function isHidden(element: Element): boolean {
  const hidden = element.properties['hidden'];
  if (hidden != null && hidden !== false && hidden !== 'until-found') return true;
  return /(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)/i.test(
    attribute(element, 'style')?.slice(0, 2000) ?? '',
  );
}

/** Parts of a page that are hidden only until somebody clicks: panels of tabs and of accordions. */
const PANEL =
  /^(?:tab-?panel|tab-?pane|tab-?content|tabs?-(?:panel|pane|content)|accordion-?(?:content|panel|body|collapse)|collapse|panel-collapse|faq-answer|answer)$/;
const POPUP = /(?:^|-)(?:modal|popup|menu|dropdown|off-?canvas|tooltip|lightbox|navbar|nav)(?:$|-)/;
const MENUS = new Set(['menu', 'menubar', 'listbox', 'dialog', 'alertdialog', 'navigation', 'search', 'tooltip']);

function isShownLater(element: Element, controlled: ReadonlySet<string>): boolean {
  const role = attribute(element, 'role') ?? '';
  if (role === 'tabpanel') return true;
  if (MENUS.has(role) || ['nav', 'form', 'ul', 'dialog'].includes(element.tagName)) return false;
  return (controlled.has(attribute(element, 'id') ?? '') && !classes(element).some((name) => POPUP.test(name))) ||
    classes(element).some((name) => PANEL.test(name));
}

/** Makes addresses of links and pictures absolute, and removes invalid ones. */
export function resolveAddresses(node: Nodes, base: string | undefined): void {
  if (isElement(node)) {
    if (node.properties['href'] != null) node.properties['href'] = address(attribute(node, 'href') ?? '', base);
    if (node.tagName === 'img') {
      node.properties['src'] = address(attribute(node, 'src') ?? '', base);
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

/**
 * Elements beside which white space is not seen: blocks, and breaks of lines (hast-util-minify-whitespace, `blocks`).
 */
const BREAKS = new Set(['address', 'article', 'aside', 'blockquote', 'body', 'br', 'caption', 'center', 'col',
  'colgroup', 'dd', 'dir', 'div', 'dl', 'dt', 'figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5',
  'h6', 'header', 'hgroup', 'hr', 'html', 'legend', 'li', 'listing', 'main', 'menu', 'nav', 'ol', 'optgroup', 'option',
  'p', 'plaintext', 'pre', 'section', 'summary', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul', 'wbr',
  'xmp']);
/** Elements that are content without text, as far as `clean` leaves them. */
const CONTENT = new Set(['img', 'input', 'picture', FORMULA]);
/** Elements in which white space is kept. */
const PRESERVING = new Set(['listing', 'nobr', 'plaintext', 'pre', 'xmp']);
/** Elements for which markdown has nothing but their text. */
const PLAIN = new Set(['abbr', 'acronym', 'bdi', 'bdo', 'big', 'blink', 'cite', 'data', 'dfn', 'font', 'ins', 'label',
  'marquee', 'output', 'rb', 'rbc', 'rp', 'rt', 'rtc', 'ruby', 'slot', 'small', 'span', 'sub', 'sup', 'time']);
/**
 * Elements that markdown leaves out; they have content only where they are no elements of HTML, such as in formulas.
 */
const IGNORED = new Set(['area', 'base', 'basefont', 'param', 'source', 'track']);
const BLANK = /^[\t\n\f\r ]*$/;

/**
 * Removes inline elements without content from a tree, in place, and joins texts. What is left has at most one blank
 * text between two elements with content: rehype-remark looks from each element for the next content, and merges
 * adjacent texts one by one, so that a page of empty links or of single letters would take it a time that grows with
 * the square of their number.
 */
export function removeBlanks(parent: Root | Element, preserves = false): void {
  const kept: ElementContent[] = [];
  for (const child of parent.children as ElementContent[]) {
    if (child.type === 'element') {
      removeBlanks(child, preserves || PRESERVING.has(child.tagName) || child.properties['noWrap'] != null);
      for (const part of reduced(child)) append(kept, part, preserves);
    } else append(kept, child, preserves);
  }
  parent.children = kept;
}

/** What an element whose own content is reduced contributes. */
function reduced(element: Element): readonly ElementContent[] {
  const { tagName, children } = element;
  if (tagName === 'rp') return children;
  if (BREAKS.has(tagName) || CONTENT.has(tagName)) return [element];
  if (children.length === 0 || IGNORED.has(tagName)) return [];
  const only = children.length === 1 ? children[0] : undefined;
  return only?.type === 'text' && (PLAIN.has(tagName) || isBlank(only)) ? [only] : [element];
}

function append(kept: ElementContent[], node: ElementContent, preserves: boolean): void {
  const last = kept.at(-1);
  if (node.type === 'text') {
    if (last?.type === 'text') last.value += node.value;
    else if (preserves || !isBreak(last) || !isBlank(node)) kept.push(node);
    return;
  }
  if (!preserves && isBreak(node) && last?.type === 'text' && isBlank(last)) kept.pop();
  kept.push(node);
}

function isBreak(node: ElementContent | undefined): boolean {
  return node?.type === 'element' && BREAKS.has(node.tagName);
}

function isBlank({ value }: Text): boolean {
  return BLANK.test(value);
}
