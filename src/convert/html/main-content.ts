import type { Element, ElementContent, Root } from 'hast';
import { isHeading, Measures } from './measure.ts';
import { attribute, byName, classes, findAll, isElement } from './parse.ts';
import { prune, pruneLinks } from './prune.ts';

/** A `<main>` or the only `<article>` with at least this part of the page's prose is the content. */
const MAIN_SHARE = 0.4;
/** An element with this part of the prose of the one around it holds the content. */
const HOLDS = 0.85;

/**
 * The main content of a complete page, which is changed: without parts whose elements, roles or names say that they
 * surround it; its `<main>` or only `<article>`, else the innermost element that holds nearly all of the prose, with
 * what leads to it; without lists of links to other pages. The page's only first heading is kept.
 */
export function mainContent(root: Root): Root | Element {
  const body = findAll(root, byName('body'))[0] ?? root;
  prune(body, new Measures(body));
  const measures = new Measures(body);
  const content: Root = { type: 'root', children: partsOf(body, measures) };
  measures.add(content);
  pruneLinks(content, measures);
  const titles = findAll(body, byName('h1'));
  if (titles.length === 1 && findAll(content, byName('h1')).length === 0) content.children.unshift(titles[0]!);
  return content;
}

function landmarkOf(body: Root | Element, measures: Measures): Element | undefined {
  const least = MAIN_SHARE * measures.of(body).prose;
  const mains = findAll(body, (element) => element.tagName === 'main' || attribute(element, 'role') === 'main');
  const main = mains.length === 1 ? mains[0]! : undefined;
  const articles = findAll(main ?? body, byName('article'));
  return [articles.length === 1 ? articles[0] : undefined, main].find((element) =>
    element !== undefined && measures.of(element).prose >= least && measures.of(element).text > 0
  );
}

/** Elements that are content as a whole. */
const WHOLE = new Set(['table', 'ul', 'ol', 'dl', 'p', 'blockquote', 'pre', 'tbody', 'details']);

/** The content of the landmark or of the innermost element with nearly all of the prose, after what leads to it. */
function partsOf(body: Root | Element, measures: Measures): ElementContent[] {
  const landmark = landmarkOf(body, measures);
  const path = landmark === undefined ? undefined : new Set(pathTo(body, landmark));
  const leads: ElementContent[] = [];
  for (let holder = body;;) {
    const children = holder.children as ElementContent[];
    if (holder === landmark) return [...leads, ...children];
    const least = HOLDS * measures.of(holder).prose;
    const at = children.findIndex((child) =>
      isElement(child) && (path?.has(child) ?? (least > 0 && measures.of(child).prose >= least))
    );
    const inner = children[at];
    if (inner === undefined || !isElement(inner)) return [...leads, ...children];
    if (path === undefined &&
      (WHOLE.has(inner.tagName) || children.slice(at + 1).some((child) => isSection(child, inner, measures))))
      return [...leads, ...children];
    leads.push(...children.slice(0, at).filter((child) => isLead(child, measures)));
    holder = inner;
  }
}

/** Whether a part after the content is a further section like it, with a heading of its own. */
function isSection(node: ElementContent, content: Element, measures: Measures): boolean {
  const { text, links } = measures.of(node);
  return isElement(node) && node.tagName === content.tagName && classes(node).join() === classes(content).join() &&
    links < 0.5 * text && findAll(node, isHeading).length > 0;
}

/** The elements from one within `outer` down to `wanted`. */
function pathTo(outer: Root | Element, wanted: Element): Element[] {
  for (const child of outer.children) {
    if (!isElement(child)) continue;
    const path = child === wanted ? [child] : pathTo(child, wanted);
    if (path.length > 0) return child === wanted ? path : [child, ...path];
  }
  return [];
}

/** Prose before the content is its introduction, and so is what stands with the title; names and links are not. */
function isLead(node: ElementContent, measures: Measures): boolean {
  if (!isElement(node)) return false;
  const { text, links, prose } = measures.of(node);
  return links <= 0.3 * text && (prose > 0.5 * text || findAll(node, byName('h1')).length > 0);
}
