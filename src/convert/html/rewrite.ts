import type { Element, ElementContent, Root, Text } from 'hast';
import { scriptText } from '../tree/scripts.ts';
import { numberedCode, tidyCode } from './code-blocks.ts';
import { FORMULA, formulaOf, formulasIn } from './formulas.ts';
import { attribute, byName, classes, findAll, isElement, parseHtml, rawText } from './parse.ts';

/** What a rewriting needs to know about the page. */
export interface RewriteOptions {
  /** Whether a script of the page draws formulas of its text. */
  readonly drawsFormulas: boolean;
  /** Whether what browsers without scripts show is content. */
  readonly noscript: boolean;
}

/**
 * Rewrites in place what markdown has in another form: formulas, superscripts, readings of ruby, code with numbers,
 * links of headings to themselves, pictures that are loaded late, and content that only scripts put into its place.
 */
export function rewrite(root: Root, options: RewriteOptions): void {
  new Rewriter(options).children(root, []);
}

const KEPT_SPACE = new Set(['pre', 'code', 'kbd', 'samp', 'tt', 'textarea', 'script', 'style', 'title']);
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'summary', 'dt']);
/** How many characters before a superscript decide how it is written. */
const BEFORE = 40;

class Rewriter {
  readonly #options: RewriteOptions;

  constructor(options: RewriteOptions) {
    this.#options = options;
  }

  children(parent: Root | Element, around: readonly Element[]): void {
    const inner = isElement(parent) ? [...around.slice(-3), parent] : [];
    const kept: ElementContent[] = [];
    for (const child of joinedRuby(withShadow(parent))) {
      for (const node of this.#node(child, inner, kept)) kept.push(node);
    }
    parent.children = kept;
  }

  /** What a node becomes, after those of its siblings that are kept. */
  #node(node: ElementContent, around: readonly Element[], kept: readonly ElementContent[]): readonly ElementContent[] {
    if (node.type === 'text') return this.#text(node, around.some(({ tagName }) => KEPT_SPACE.has(tagName)));
    if (!isElement(node)) return [node];
    const formula = formulaOf(node);
    if (formula !== undefined) return formula;
    if (isPermalink(node)) return [];
    if (node.tagName === 'noscript' && !this.#options.noscript) return picturesOf(node, kept);
    if (node.tagName === 'table') {
      const code = numberedCode(node);
      if (code !== undefined) return this.#node(code, [...around, node], kept);
    }
    if (node.tagName === 'pre') tidyCode(node, around);
    this.children(node, around);
    return this.#rewritten(node, around, kept);
  }

  #text(node: Text, isCode: boolean): readonly ElementContent[] {
    if (isCode) return [node];
    // Places where a word may be broken are no part of it.
    const value = node.value.replaceAll('\u00ad', '');
    return this.#options.drawsFormulas ? formulasIn(value) : [{ type: 'text', value }];
  }

  /** An element whose content is rewritten. */
  #rewritten(element: Element, around: readonly Element[], kept: readonly ElementContent[]): readonly ElementContent[] {
    switch (element.tagName) {
      case 'sup':
      case 'sub':
        return script(element, kept);
      case 'ruby':
        return ruby(element);
      case 'img':
        lateSource(element);
        return [element];
      case 'button':
        // The head of an accordion is a button in a heading.
        return around.some(({ tagName }) => HEADINGS.has(tagName)) ? [{ ...element, tagName: 'span' }] : [element];
      default:
        return [element];
    }
  }
}

/** The children of an element; if it has a declarative shadow root, that with the children in its slots. */
function withShadow(parent: Root | Element): readonly ElementContent[] {
  const children = parent.children as ElementContent[];
  const root = children.find((child): child is Element =>
    isElement(child) && child.tagName === 'template' && child.properties['shadowRootMode'] !== undefined
  );
  if (root?.content === undefined) return children;
  const light = children.filter((child) => child !== root);
  const slots = findAll(root.content, byName('slot'));
  const taken = new Set<ElementContent>();
  for (const slot of slots) {
    const name = attribute(slot, 'name') ?? '';
    const content = light.filter((child) =>
      !taken.has(child) && ((isElement(child) ? attribute(child, 'slot') : undefined) ?? '') === name
    );
    for (const child of content) taken.add(child);
    if (content.some((child) => rawText(child).trim() !== '')) slot.children = content;
  }
  // What has no slot is not shown, but it is text.
  return [...(root.content.children as ElementContent[]), ...light.filter((child) => !taken.has(child))];
}

const SIGNS = /^[\s#¶§🔗⚓\u200b\u2060\ufeff]*$/u;
const LINK_NAMES =
  /^(?:headerlink|hash-link|header-anchor|heading-anchor|anchor(?:js)?-link|anchorjs-link|permalink|heading-link)$/;

/** A link of a heading to itself, and the edit link of a wiki: signs for the mouse that are no part of the text. */
function isPermalink(element: Element): boolean {
  if (element.tagName !== 'a') return classes(element).includes('mw-editsection');
  if (attribute(element, 'href')?.includes('#') !== true || findAll(element, byName('img')).length > 0) return false;
  const text = rawText(element);
  return SIGNS.test(text) ||
    (/^\s*(?:permalink|(?:copy |direct )?link)/i.test(text) && text.length < 40 &&
      classes(element).some((name) => LINK_NAMES.test(name)));
}

/** Superscripts and subscripts as characters; links to notes stay links. */
function script(element: Element, before: readonly ElementContent[]): readonly ElementContent[] {
  const value = rawText(element);
  if (findAll(element, byName('a', 'img', FORMULA)).length > 0) return element.children;
  return [{ type: 'text', value: scriptText(value, element.tagName === 'sup' ? 'super' : 'sub', tailOf(before)) }];
}

/** The last characters of nodes. */
function tailOf(nodes: readonly ElementContent[]): string {
  const last = nodes.at(-1);
  if (last === undefined) return '';
  if (last.type === 'text')
    return last.value.length >= BEFORE || nodes.length === 1
      ? last.value.slice(-BEFORE)
      : tailOf(nodes.slice(-BEFORE, -1)) + last.value;
  return isElement(last) ? tailOf(last.children) : '';
}

const READING = new Set(['rt', 'rtc', 'rp']);

/** Neighbours of ruby as one: a word may have an element for each of its characters. */
function joinedRuby(children: readonly ElementContent[]): readonly ElementContent[] {
  const joined: ElementContent[] = [];
  for (const child of children) {
    const last = joined.at(-1);
    const isNeighbour = isElement(child) && child.tagName === 'ruby' && last !== undefined && isElement(last) &&
      last.tagName === 'ruby';
    if (!isNeighbour) joined.push(child);
    else for (const part of child.children) last.children.push(part);
  }
  return joined;
}

/** Base and reading: 東京(とうきょう). The parts of a word stay together, so that a search finds it. */
function ruby(element: Element): readonly ElementContent[] {
  const readings = findAll(element, byName('rt')).map((reading) => rawText(reading).trim()).join('');
  const base = element.children.filter((child) => !isElement(child) || !READING.has(child.tagName)).flatMap((child) =>
    isElement(child) && child.tagName === 'rb' ? child.children : [child]
  ).map((child): ElementContent => (child.type === 'text' ? { ...child, value: child.value.trim() } : child));
  if (readings === '') return base;
  const reading: Text = { type: 'text', value: `(${readings})` };
  return [...base, reading];
}

/** Where pictures that are loaded when they are scrolled to have their address. */
const LATE = ['dataSrc', 'dataOriginal', 'dataLazySrc', 'dataLazy', 'dataUrl', 'dataHiResSrc', 'dataSrcset',
  'dataLazySrcset', 'srcSet', 'dataSrcSet'];

function lateSource(image: Element): void {
  const source = attribute(image, 'src') ?? '';
  const [late] = LATE.map((name) => attribute(image, name)?.trim().split(/[\s,]/, 1)[0]).filter((address) =>
    address !== undefined && address !== '' && !address.startsWith('data:')
  );
  const isPlaceholder = source === '' || source.startsWith('data:') || source.startsWith('about:') ||
    LATE.slice(0, 6).some((name) => attribute(image, name) !== undefined);
  if (late !== undefined && isPlaceholder) image.properties['src'] = late;
}

/** The pictures for browsers without scripts, unless one that is loaded late stands before them. */
function picturesOf(noscript: Element, before: readonly ElementContent[]): readonly ElementContent[] {
  const source = rawText(noscript);
  const last = before.findLast((node) => node.type !== 'text' || node.value.trim() !== '');
  if (!/<img\s/i.test(source) || (last !== undefined && isElement(last) && last.tagName === 'img')) return [];
  return findAll(parseHtml(source), byName('img'));
}
