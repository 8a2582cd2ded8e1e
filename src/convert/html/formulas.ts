import type { Element, ElementContent } from 'hast';
import { mathmlTex } from '../math/mathml.ts';
import type { XmlElement } from '../xml.ts';
import { attribute, byName, classes, findAll, isElement, parseHtml, rawText } from './parse.ts';

/** The name of the element that stands for a formula until it is printed; its text is TeX. */
export const FORMULA = 'quire-formula';

/** Programs that draw formulas: KaTeX, MathJax 2 and 3, MediaWiki. */
const DRAWN = new Set(['katex', 'katex-display', 'mathjax', 'mathjax_display', 'mathjax_svg', 'mathjax_chtml',
  'mwe-math-element']);
/** Classes of pictures that show a formula and have its TeX as description. */
const PICTURES = /^(?:latex|tex|mwe-math-fallback-image-(?:inline|display))$/;

/**
 * What an element that is a formula becomes: nothing for a second rendering of one, undefined if it is no formula. The
 * TeX that the author wrote is preferred to MathML.
 */
export function formulaOf(element: Element): readonly ElementContent[] | undefined {
  const names = classes(element);
  if (element.tagName === 'math') return asFormula(mathTex(element), attribute(element, 'display') === 'block');
  if (element.tagName === 'script') return scriptFormula(element);
  if (element.tagName === 'img' && names.some((name) => PICTURES.test(name)))
    return asFormula(plainTex(attribute(element, 'alt') ?? ''), names.some((name) => name.endsWith('-display')));
  if (element.tagName === 'math-renderer')
    return asFormula(rawText(element).trim().replace(/^\${1,2}|\${1,2}$/g, ''), names.includes('js-display-math'));
  if (element.tagName === 'mjx-container' || names.some((name) => DRAWN.has(name))) return drawn(element, names);
  // Of MathJax 2: what is shown while the formula is drawn, and the formula for screen readers.
  return names.includes('mathjax_preview') || names.includes('mjx_assistive_mathml') ? [] : undefined;
}

/** A formula whose source is a script: `<script type="math/tex; mode=display">`. */
function scriptFormula(script: Element): readonly ElementContent[] | undefined {
  const type = attribute(script, 'type') ?? '';
  if (/^math\/tex/i.test(type)) return asFormula(rawText(script), /mode\s{0,9}=\s{0,9}display/i.test(type));
  return /^math\/mml/i.test(type)
    ? drawn({ ...script, children: parseHtml(rawText(script)).children as Element[] }, [])
    : undefined;
}

/** A rendering holds its formula as MathML, or names it in an attribute; MathJax 2 has it in the script beside it. */
function drawn(element: Element, names: readonly string[]): readonly ElementContent[] {
  const said = attribute(element, 'dataMathml') ?? attribute(element, 'dataMathMl');
  const math = findAll(element, byName('math'))[0] ??
    (said === undefined ? undefined : findAll(parseHtml(said), byName('math'))[0]);
  if (math !== undefined) {
    const isDisplay = names.some((name) => name.endsWith('display')) || attribute(element, 'display') === 'true' ||
      attribute(math, 'display') === 'block' || findAll(element, (inner) =>
          classes(inner).includes('katex-display')).length > 0;
    return asFormula(mathTex(math), isDisplay);
  }
  const picture = findAll(element, byName('img'))[0];
  if (picture !== undefined) return asFormula(plainTex(attribute(picture, 'alt') ?? ''), false);
  if (names.some((name) => name.startsWith('mathjax'))) return [];
  return [{ type: 'text', value: rawText(element) }];
}

function mathTex(math: Element): string {
  const found =
    findAll(math,
      (element) => element.tagName === 'annotation' && /tex$/i.test(attribute(element, 'encoding') ?? ''))[0];
  const said = found === undefined ? attribute(math, 'alttext') : rawText(found);
  return plainTex(said ?? '') || mathmlTex(xmlOf(math));
}

/** TeX without the command in which MediaWiki wraps it. */
function plainTex(tex: string): string {
  const trimmed = tex.trim();
  return (/^\{\\(?:display|text)style\s([^]*)\}$/.exec(trimmed)?.[1] ?? trimmed).trim();
}

function xmlOf(element: Element): XmlElement {
  return {
    name: element.tagName,
    attributes: Object.fromEntries(
      Object.keys(element.properties).map((name) => [name, attribute(element, name) ?? '']),
    ),
    children: element.children.flatMap((child): (XmlElement | string)[] =>
      isElement(child) ? [xmlOf(child)] : child.type === 'text' ? [child.value] : []
    ),
  };
}

function asFormula(tex: string, display: boolean): readonly ElementContent[] {
  const value = tex.trim().split('\n').map((line) => line.trim()).join(' ');
  if (value === '') return [];
  return [{
    type: 'element',
    tagName: FORMULA,
    properties: { display: String(display) },
    children: [{ type: 'text', value }],
  }];
}

/** What the source of a page contains that draws formulas of its text. */
const DRAWS = /mathjax|katex/i;
/** The delimiters of MathJax and KaTeX, each with the one that ends it. */
const DELIMITER = /\\[()[\]]|\$\$/g;
const ENDS: Readonly<Record<string, string>> = { '\\(': '\\)', '\\[': '\\]', $$: '$$' };

/** Whether formulas stand in the text of a page, to be drawn by a script. */
export function drawsFormulas(source: string): boolean {
  return DRAWS.test(source);
}

/** The parts of a text, those between delimiters as formulas. */
export function formulasIn(text: string): ElementContent[] {
  const parts: ElementContent[] = [];
  let end = 0;
  let open: RegExpExecArray | undefined;
  for (const found of text.matchAll(DELIMITER)) {
    if (open === undefined || found[0] !== ENDS[open[0]]) {
      if (ENDS[found[0]] !== undefined && open?.[0] !== '$$') open = found;
      continue;
    }
    if (open.index > end) parts.push({ type: 'text', value: text.slice(end, open.index) });
    parts.push(...asFormula(text.slice(open.index + 2, found.index), open[0] !== '\\('));
    end = found.index + 2;
    open = undefined;
  }
  if (end < text.length) parts.push({ type: 'text', value: text.slice(end) });
  return parts;
}
