import type { Element, ElementContent, Root } from 'hast';
import { isHeading, isInLine, type Measure, type Measures } from './measure.ts';
import { attribute, byName, classes, findAll, isElement, rawText } from './parse.ts';

/** ARIA landmarks that surround the content of a page. */
const AROUND_ROLE = new Set(['navigation', 'search', 'menu', 'menubar', 'toolbar', 'tablist', 'dialog', 'alertdialog',
  'banner', 'contentinfo', 'complementary']);
/** Elements that surround the content, as far as they hold little of the page's prose. */
const AROUND_TAG = new Set(['nav', 'footer', 'aside', 'menu', 'search']);

/** Words of names that authors use for parts that surround the content. */
const AROUND_WORDS = new Set([
  // Ways around the site.
  'nav',
  'navbar',
  'navi',
  'navigation',
  'subnav',
  'menu',
  'submenu',
  'breadcrumb',
  'breadcrumbs',
  'pagination',
  'pager',
  'paging',
  'masthead',
  'footer',
  'sidenav',
  'toolbar',
  'topbar',
  'tagcloud',
  'skip',
  'skiplink',
  'searchform',
  'login',
  // Of other pages.
  'related',
  'relatedposts',
  'jp-relatedposts',
  'recommended',
  'recommendations',
  'recommendation',
  'recirculation',
  'recirc',
  'morenews',
  'outbrain',
  'taboola',
  'yarpp',
  'popular',
  'mostread',
  'trending',
  'similar',
  // What readers are asked to do.
  'share',
  'sharing',
  'sharedaddy',
  'sharebar',
  'sharebuttons',
  'social',
  'socialmedia',
  'addthis',
  'addtoany',
  'shariff',
  'follow',
  'newsletter',
  'subscribe',
  'subscription',
  'signup',
  'donate',
  'rating',
  'ratings',
  // What readers say.
  'comments',
  'commentlist',
  'commentform',
  'respond',
  'disqus',
  'trackback',
  'pingback',
  'pinglist',
  // About the page.
  'tags',
  'taglist',
  'tagged',
  'keywords',
  'authorbox',
  'author-box',
  'entry-utility',
  'entry-footer',
  'entryfooter',
  'article-footer',
  'post-footer',
  'related-posts',
  'read-more',
  'most-read',
  'sticky-search',
  'kommentare',
  'author-bio',
  'author-info',
  'about-author',
  'postmeta',
  'entry-meta',
  'post-meta',
  'meta-info',
  'article-meta',
  // Advertisements and notices.
  'advert',
  'adverts',
  'advertisement',
  'advertising',
  'adbox',
  'banner',
  'sponsor',
  'sponsored',
  'promo',
  'promotion',
  'promoted',
  'cookie',
  'cookies',
  'gdpr',
  'consent',
  'popup',
  'modal',
  'overlay',
  'copyright',
  'disclaimer',
  'screen-reader-text',
  'sr-only',
  'visually-hidden',
  'visuallyhidden',
  'noprint',
]);
/** Such words of parts that may also be content: they surround it if they are links, or hold hardly any prose. */
const PERHAPS_WORDS = new Set(['teaser', 'teasers', 'widget', 'widgets', 'readmore', 'print', 'sidebar', 'toc', 'ad',
  'ads', 'legal', 'paywall', 'secondary', 'author', 'byline', 'category', 'categories', 'topics']);
/** Words before such a word that say that it is somewhere else: `has-sidebar`, `no-comments`. */
const ELSEWHERE = new Set(['has', 'with', 'without', 'no', 'not', 'is', 'hide', 'off', 'l', 'layout', 'page', 'body']);
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

function roleOf(element: Element): 'always' | 'perhaps' | undefined {
  if (['html', 'body', 'main', 'article', 'pre', 'code', 'table', 'tr', 'td', 'tbody'].includes(element.tagName) ||
    isInLine(element) || isHeading(element)) return undefined;
  if (attribute(element, 'ariaHidden') === 'true') return 'always';
  const names = classes(element);
  if (names.some((name) => BOX.test(name))) return undefined;
  if (element.tagName === 'footer' && isSentence(element)) return undefined;
  if (AROUND_TAG.has(element.tagName) || AROUND_ROLE.has(attribute(element, 'role') ?? '')) return 'always';
  if (names.includes('comment')) return 'always';
  const id = (attribute(element, 'id') ?? '').toLowerCase();
  const all = [...names, id];
  if (names.some((name) => isAroundName(name, AROUND_WORDS))) return 'always';
  if (isAroundName(id, AROUND_WORDS)) return id !== 'comments' && isOfTitle(element, id) ? 'perhaps' : 'always';
  return element.tagName === 'form' || all.some((name) => isAroundName(name, PERHAPS_WORDS)) ? 'perhaps' : undefined;
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

function isAroundName(name: string, list: ReadonlySet<string>): boolean {
  if (list.has(name)) return true;
  const words = name.slice(0, 100).split(/[-_:]+/);
  return words.some((word, at) =>
    (list.has(word) || list.has(`${word}-${words[at + 1] ?? ''}`)) && !(at > 0 && ELSEWHERE.has(words[at - 1]!))
  );
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
      if (removed && isHeading(child)) dropHeadings(kept);
      if (!isBlankText(child)) removed &&= isHeading(child);
      if (isElement(child) && PARTS.has(child.tagName) && !isList(child)) visit(child);
      else seen += measures.of(child).prose;
      kept.push(child);
    }
    if (removed) dropHeadings(kept);
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

function dropHeadings(kept: ElementContent[]): void {
  for (let last = kept.at(-1); last !== undefined && (isBlankText(last) || isHeading(last)); last = kept.at(-1)) {
    kept.pop();
    if (isHeading(last)) return;
  }
}
