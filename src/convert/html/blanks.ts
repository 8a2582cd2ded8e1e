import type { Element, ElementContent, Root, Text } from 'hast';

/**
 * Elements beside which white space is not seen: blocks, and breaks of lines (hast-util-minify-whitespace, `blocks`).
 */
const BREAKS = new Set(['address', 'article', 'aside', 'blockquote', 'body', 'br', 'caption', 'center', 'col',
  'colgroup', 'dd', 'dir', 'div', 'dl', 'dt', 'figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5',
  'h6', 'header', 'hgroup', 'hr', 'html', 'legend', 'li', 'listing', 'main', 'menu', 'nav', 'ol', 'optgroup', 'option',
  'p', 'plaintext', 'pre', 'section', 'summary', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul', 'wbr',
  'xmp']);
/** Elements that are content without text, as far as `clean` leaves them. */
const CONTENT = new Set(['img', 'input', 'math', 'picture']);
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
