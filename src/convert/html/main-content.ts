import { Readability } from '@mozilla/readability';
import type { Element, Root } from 'hast';
import { parseHTML } from 'linkedom';
import { clean } from './clean.ts';
import { attribute, byName, findAll, parseHtml, textLength } from './parse.ts';

/** A main element with less than this part of the page's text is an empty shell. */
const MAIN_SHARE = 0.25;
const ARTICLE_SHARE = 0.5;
/** The reader view must keep at least this part of the headings; otherwise it kept only a part of the content. */
const HEADINGS_SHARE = 0.9;
const LEAST_TEXT = 250;
/** Larger pages are data, on which each attempt of the reader view would take seconds. */
const MAX_READER_VIEW = 4 * 2 ** 20;
/**
 * The reader view reads the text below each element several times, so the depth of each node counts. The largest page
 * of Node's manual (660 KB) has 400,000; 20 KB of `<h1>`, which only the parser of the reader view nests, have 12
 * million and took 3 s.
 */
const MAX_READER_EFFORT = 2_000_000;
/** As many characters of text count as a node. */
const NODE_TEXT = 64;

/**
 * The main content of a complete page whose navigation was removed: its `<main>` or its only `<article>`; without
 * these, the result of the reader view, unless that loses headings, as on pages that are not articles; otherwise the
 * body.
 */
export function mainContent(root: Root, source: string): Root | Element {
  const body = findAll(root, byName('body'))[0] ?? root;
  const all = textLength(body);
  const main = findAll(body, (element) => element.tagName === 'main' || attribute(element, 'role') === 'main');
  if (main.length === 1 && textLength(main[0]!) >= MAIN_SHARE * all) return main[0]!;
  const articles = findAll(body, byName('article'));
  if (articles.length === 1 && textLength(articles[0]!) >= ARTICLE_SHARE * all) return articles[0]!;
  // Several articles are a list of posts, of which the reader view would keep only one.
  return (articles.length > 1 ? undefined : readerView(source, body)) ?? body;
}

function readerView(source: string, body: Root | Element): Root | undefined {
  if (source.length > MAX_READER_VIEW || textLength(body) < LEAST_TEXT) return undefined;
  const { document } = parseHTML(source);
  if (readerEffort(document.documentElement) > MAX_READER_EFFORT) return undefined;
  const article = articleOf(document);
  if (typeof article?.content !== 'string') return undefined;
  const kept = parseHtml(article.content);
  clean(kept, true);
  if (textLength(kept) < LEAST_TEXT || headings(kept) < HEADINGS_SHARE * headings(body)) return undefined;
  return kept;
}

/** Returns undefined for pages with which the reader view fails, such as those with a `<body>` within the body. */
function articleOf(document: Document): { content?: string | null | undefined } | null | undefined {
  try {
    return new Readability(document, { charThreshold: LEAST_TEXT }).parse();
  } catch {
    return undefined;
  }
}

/**
 * The sum of the depths of all nodes below an element. The text of links is read for each link around it, and each
 * element around that.
 */
function readerEffort(root: Node): number {
  let effort = 0;
  let depth = 0;
  let links = 0;
  for (let node: Node | null = root; node !== null;) {
    effort += depth * Math.max(1, links) *
      (1 + (node.nodeType === node.TEXT_NODE ? node.textContent!.length / NODE_TEXT : 0));
    if (node.firstChild !== null) {
      links += isLink(node) ? 1 : 0;
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node !== root && node!.nextSibling === null) {
      node = node!.parentNode!;
      links -= isLink(node) ? 1 : 0;
      depth -= 1;
    }
    node = node === root ? null : node!.nextSibling;
  }
  return effort;
}

function isLink(node: Node): boolean {
  return node.nodeName === 'A';
}

/** The reader view drops the title, so it is not counted. */
function headings(node: Root | Element): number {
  return findAll(node, byName('h2', 'h3', 'h4', 'h5', 'h6')).length;
}
