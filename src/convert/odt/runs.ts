import { type Inline, type Look, text } from '../tree/inlines.ts';
import type { XmlElement } from '../xml.ts';
import type { OdtContext } from './body.ts';
import type { OdtStyle } from './styles.ts';

/** Reads the content of a paragraph in order. Frames are collected separately, because they hold blocks. */
export class OdtRuns {
  readonly inlines: Inline[] = [];
  readonly frames: XmlElement[] = [];
  readonly #context: OdtContext;
  readonly #paragraph: OdtStyle;
  readonly #addNote: (element: XmlElement) => string;
  /** Whether white space was written last: a sequence counts as one space (OpenDocument 1.3, part 3, section 6.1.2). */
  #space = true;

  /** `addNote` keeps a note in the context and returns its id. */
  constructor(context: OdtContext, paragraph: OdtStyle, addNote: (element: XmlElement) => string) {
    this.#context = context;
    this.#paragraph = paragraph;
    this.#addNote = addNote;
  }

  read(parent: XmlElement): void {
    this.#read(parent, lookOf(this.#paragraph, {}));
  }

  #read(parent: XmlElement, look: Look): void {
    for (const node of parent.children) {
      if (typeof node === 'string') this.#text(node, look);
      else this.#element(node, look);
    }
  }

  #element(element: XmlElement, look: Look): void {
    switch (element.name) {
      case 'text:span': {
        const style = this.#context.styles.get('text', element.attributes['text:style-name']);
        if (!style.hidden) this.#read(element, lookOf(style, look));
        break;
      }
      case 'text:a': {
        const href = element.attributes['xlink:href'] ?? '';
        // An address inside the document does not name a heading of the markdown.
        this.#read(element, href === '' || href.startsWith('#') ? look : { ...look, href });
        break;
      }
      case 'text:s':
        this.#push(' '.repeat(Math.max(1, Math.min(1000, Number(element.attributes['text:c'] ?? 1) || 1))), look);
        break;
      case 'text:tab':
        this.#push(' ', look);
        break;
      case 'text:line-break':
        this.inlines.push({ kind: 'break', look });
        this.#space = true;
        break;
      case 'text:note':
        this.inlines.push({ kind: 'note', id: this.#addNote(element), look: {} });
        break;
      case 'draw:frame':
      case 'draw:custom-shape':
      case 'draw:g':
        this.#frame(element);
        break;
      case 'office:annotation':
      case 'text:tracked-changes':
      case 'text:ruby-text':
      case 'text:hidden-text':
        break;
      default:
        this.#read(element, look);
    }
  }

  /** A picture is replaced by its description; a text frame contains blocks. */
  #frame(frame: XmlElement): void {
    if (has(frame, 'draw:text-box') || has(frame, 'text:p')) this.frames.push(frame);
    else {
      const description = frame.children.find((node) =>
        typeof node !== 'string' && (node.name === 'svg:desc' || node.name === 'svg:title')
      );
      if (description !== undefined) this.#read(description as XmlElement, {});
    }
  }

  #text(value: string, look: Look): void {
    let collapsed = value.replace(/[ \t\r\n]+/g, ' ');
    if (this.#space && collapsed.startsWith(' ')) collapsed = collapsed.slice(1);
    this.#push(collapsed, look);
  }

  #push(value: string, look: Look): void {
    if (value === '') return;
    this.#context.budget.take(value.length);
    this.#space = value.endsWith(' ');
    this.inlines.push(text(value, look));
  }
}

function lookOf(style: OdtStyle, outer: Look): Look {
  const look: { -readonly [mark in keyof Look]: Look[mark] } = { ...outer };
  for (const mark of ['strong', 'emphasis', 'strike', 'code'] as const) {
    if (style[mark] === true) look[mark] = true;
    else if (style[mark] === false) delete look[mark];
  }
  return look;
}

function has(element: XmlElement, name: string): boolean {
  return element.children.some((node) => typeof node !== 'string' && (node.name === name || has(node, name)));
}
