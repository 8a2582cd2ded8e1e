import type { Element, ElementContent, Root } from 'hast';
import { surrounds } from './around-names.ts';
import { isHeading, isInLine, type Measure, type Measures } from './measure.ts';
import { attribute, byName, classes, findAll, isElement, rawText } from './parse.ts';

/** ARIA landmarks that surround the content of a page. */
const AROUND_ROLE = new Set(['navigation', 'search', 'menu', 'menubar', 'toolbar', 'tablist', 'dialog', 'alertdialog',
  'banner', 'contentinfo', 'complementary']);
/** Elements that surround the content, as far as they hold little of the page's prose. */
const AROUND_TAG = new Set(['nav', 'footer', 'aside', 'menu', 'search']);

/** Boxes of documentation, which some write as `<aside>`. */
const BOX =
  /^(?:note|tip|warning|caution|danger|info|important|hint|admonition|callout|notecard|starlight-aside|example)$/;

/** A part with more than this share of the page's prose is the content, whatever its name. */
const CONTENT_SHARE = 0.4;

/** Removes the parts of a page that surround its content, in place. */
export function prune(root: Root | Element, measures: Measures): void {
  const most = CONTENT_SHARE * measures.of(root).prose;
  const visit = (parent: Root | Element): void => {
    parent.children = (parent.children as ElementContent[]).filter((child) => {
      if (!isElement(child)) return true;
      const own = measures.of(child);
      const around = roleOf(child);
      if (around !== undefined && own.prose <= most && (around === 'always' || isAside(own)) && !holdsContent(child))
        return false;
      visit(child);
      return true;
    });
  };
  visit(root);
}

function holdsContent(element: Element): boolean {
  return findAll(element, (inner) =>
    ['main', 'h1'].includes(inner.tagName) || ['main', 'tabpanel'].includes(attribute(inner, 'role') ?? '')).length > 0;
}

/** Links to elsewhere, or names and dates. */
function isAside({ text, links, prose }: Measure): boolean {
  return links > 0.4 * text || prose < 0.3 * text;
}

/** Elements whose name or class says nothing about what they are in a page. */
const NEVER = new Set(['html', 'body', 'main', 'article', 'pre', 'code', 'table', 'tr', 'td', 'tbody']);

/** Whether an element surrounds the content: `perhaps` if that depends on what it holds. */
function roleOf(element: Element): 'always' | 'perhaps' | undefined {
  if (NEVER.has(element.tagName) || isInLine(element) || isHeading(element)) return undefined;
  if (attribute(element, 'ariaHidden') === 'true') return 'always';
  const names = classes(element);
  if (names.some((name) => BOX.test(name)) || (element.tagName === 'footer' && isSentence(element))) return undefined;
  if (AROUND_TAG.has(element.tagName) || AROUND_ROLE.has(attribute(element, 'role') ?? '')) return 'always';
  const id = (attribute(element, 'id') ?? '').toLowerCase();
  const said = names.map((name) => (name === 'comment' ? 'always' : surrounds(name)));
  if (said.includes('always')) return 'always';
  const byId = surrounds(id);
  if (byId === 'always') return id !== 'comments' && isOfTitle(element, id) ? 'perhaps' : 'always';
  return element.tagName === 'form' || byId !== undefined || said.includes('perhaps') ? 'perhaps' : undefined;
}

/** Whether a footer is a paragraph or two, such as one that names the authors, and no collection of links. */
function isSentence(footer: Element): boolean {
  const others = (element: Element): boolean => !isInLine(element) && element.tagName !== 'p';
  return (footer.children as ElementContent[]).every((child) => findAll(child, others).length === 0) &&
    !/©|copyright|all rights reserved/i.test(rawText(footer));
}

/** Whether an identifier was made of the title of a section, such as one on cookies. */
function isOfTitle(element: Element, id: string): boolean {
  const title = findAll(element, isHeading)[0];
  return title !== undefined && slug(rawText(title)) === slug(id);
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** A list or a part with more of its text in links than this is about other pages. */
const LINKS_SHARE = 0.6;
/** Parts between paragraphs that consist of links. */
const PARTS = new Set(['div', 'ul', 'ol', 'section', 'dl', 'article', 'header', 'figure']);

/**
 * Removes lists of links to other pages from an article, in place, and the headings that are left without content. A
 * page that consists of such lists is an index, and keeps them.
 */
export function pruneLinks(content: Root | Element, measures: Measures): void {
  const whole = measures.of(content);
  if (whole.prose < 0.5 * whole.text) return;
  let seen = 0;
  // A list between paragraphs is a part of the text; before and behind it, it leads to other pages.
  const isInside = (element: Element): boolean => isList(element) && seen > 0 && seen < 0.95 * whole.prose;
  const visit = (parent: Root | Element): void => {
    const kept: ElementContent[] = [];
    const inText = (parent.children as ElementContent[]).some((child) =>
      isElement(child) && child.tagName === 'p' && measures.of(child).prose > 0
    );
    let removed = false;
    for (const child of parent.children as ElementContent[]) {
      if (isElement(child) && PARTS.has(child.tagName) && !(inText && isList(child)) && !isInside(child) &&
        isLinks(child, measures))
      {
        removed = true;
        continue;
      }
      if (removed && isHeading(child)) dropHeading(kept, levelOf(child));
      if (!isBlankText(child)) removed = false;
      if (isElement(child) && PARTS.has(child.tagName) && !isList(child)) visit(child);
      else seen += measures.of(child).prose;
      kept.push(child);
    }
    // In a head of a section, the heading is that of what follows.
    if (removed && measures.of(parent).prose > 0) dropHeading(kept, 2);
    parent.children = kept;
  };
  visit(content);
}

function isList(element: Element): boolean {
  return element.tagName === 'ul' || element.tagName === 'ol';
}

function isLinks(element: Element, measures: Measures): boolean {
  const { text, links, prose } = measures.of(element);
  return text > 0 && links > LINKS_SHARE * text && prose < 0.2 * text &&
    findAll(element, byName('pre', 'h1')).length === 0 && findAll(element, byName('a')).length >= 2;
}

function isBlankText(node: ElementContent): boolean {
  return node.type === 'text' && node.value.trim() === '';
}

/** Removes the heading at the end of what is kept, unless it is above the level of the next one. */
function dropHeading(kept: ElementContent[], next: number): void {
  const last = kept.findLastIndex((node) => !isBlankText(node));
  const heading = kept[last];
  if (heading !== undefined && isHeading(heading) && levelOf(heading) >= next) kept.splice(last);
}

function levelOf(heading: ElementContent): number {
  return isElement(heading) ? Number(heading.tagName.slice(1)) : 0;
}
