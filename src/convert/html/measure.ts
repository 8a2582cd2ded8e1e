import type { Element, ElementContent, Nodes, Root } from 'hast';
import { isElement } from './parse.ts';

/** Numbers of characters below an element, without white space. */
export interface Measure {
  /** All text. */
  text: number;
  /** Text of links. */
  links: number;
  /** Text of paragraphs, cells and items that are sentences rather than names or links. */
  prose: number;
}

/** From this length on, a paragraph counts as prose; names in menus are shorter. */
const LEAST_PROSE = 25;
/** Paragraphs with more text in links than this part are lists of links. */
const MOST_LINKS = 0.5;
/** Elements in a line; everything else begins a paragraph of its own. */
const IN_LINE = new Set(['a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'br', 'cite', 'code', 'data', 'del', 'dfn',
  'em', 'font', 'i', 'img', 'ins', 'kbd', 'label', 'mark', 'nobr', 'picture', 'q', 's', 'samp', 'small', 'span',
  'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr', 'quire-formula']);
const HEADING = /^h[1-6]$/;

export function isInLine(node: ElementContent): boolean {
  return !isElement(node) || IN_LINE.has(node.tagName);
}

export function isHeading(node: Nodes): boolean {
  return isElement(node) && HEADING.test(node.tagName);
}

const NOTHING: Measure = { text: 0, links: 0, prose: 0 };

/** The measures of all elements of a tree, computed once; elements that are removed later still count. */
export class Measures {
  readonly #of = new Map<Nodes, Measure>();

  constructor(root: Root | Element) {
    this.#measure(root, false);
  }

  of(node: Nodes): Measure {
    return this.#of.get(node) ?? NOTHING;
  }

  /** Computes the measures of a new element from those of its children. */
  add(parent: Root | Element): void {
    const sum = { text: 0, links: 0, prose: 0 };
    for (const child of parent.children) {
      const { text, links, prose } = this.of(child);
      sum.text += text;
      sum.links += links;
      sum.prose += prose;
    }
    this.#of.set(parent, sum);
  }

  #measure(parent: Root | Element, linked: boolean): Measure {
    const sum = { text: 0, links: 0, prose: 0 };
    let line = { text: 0, links: 0 };
    const isProse = !isHeading(parent);
    const end = (): void => {
      if (isProse && line.text >= LEAST_PROSE && line.links < MOST_LINKS * line.text)
        sum.prose += line.text - line.links;
      line = { text: 0, links: 0 };
    };
    for (const child of parent.children as ElementContent[]) {
      const own = this.#node(child, linked);
      sum.text += own.text;
      sum.links += own.links;
      if (isInLine(child) && own.prose === 0) {
        line.text += own.text;
        line.links += own.links;
      } else {
        end();
        sum.prose += own.prose;
      }
    }
    // The text of an element in a line belongs to the paragraph around it, which decides.
    if (!isElement(parent) || !IN_LINE.has(parent.tagName)) end();
    this.#of.set(parent, sum);
    return sum;
  }

  #node(node: ElementContent, linked: boolean): Measure {
    if (node.type === 'text') {
      const text = node.value.replace(/\s+/g, '').length;
      return { text, links: linked ? text : 0, prose: 0 };
    }
    return isElement(node) ? this.#measure(node, linked || node.tagName === 'a') : NOTHING;
  }
}
