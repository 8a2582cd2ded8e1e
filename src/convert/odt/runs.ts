import { symbolText } from '../symbols.ts';
import type { Block } from '../tree/blocks.ts';
import { type Inline, type Look, text } from '../tree/inlines.ts';
import { child, elements, textOf, type XmlElement } from '../xml.ts';
import type { OdtContext } from './body.ts';
import { controlText, fieldmarkText } from './forms.ts';
import type { OdtStyle } from './styles.ts';

/** Reads what holds blocks inside a paragraph. */
interface Inside {
  /** Keeps a note in the context and returns its id. */
  note(element: XmlElement): string;
  table(element: XmlElement): Block[];
}

/** Reads the content of a paragraph in order. What holds blocks is collected separately. */
export class OdtRuns {
  readonly inlines: Inline[] = [];
  /** What holds blocks: shapes with text, and embedded objects. */
  readonly anchored: (XmlElement | { readonly blocks: readonly Block[] })[] = [];
  /** The number that the file itself says for a heading; '' if it says none. */
  number = '';
  readonly #context: OdtContext;
  readonly #paragraph: OdtStyle;
  readonly #inside: Inside;
  /** Whether white space was written last: a sequence counts as one space (OpenDocument 1.3, part 3, section 6.1.2). */
  #space = true;

  constructor(context: OdtContext, paragraph: OdtStyle, inside: Inside) {
    this.#context = context;
    this.#paragraph = paragraph;
    this.#inside = inside;
  }

  read(parent: XmlElement): void {
    this.#read(parent, lookOf(this.#paragraph, {}), this.#paragraph.font);
  }

  #read(parent: XmlElement, look: Look, font: string | undefined): void {
    for (const node of parent.children) {
      if (typeof node === 'string') this.#text(node, look, font);
      else this.#element(node, look, font);
    }
  }

  #element(element: XmlElement, look: Look, font: string | undefined): void {
    switch (element.name) {
      case 'text:span': {
        const style = this.#context.styles.get('text', element.attributes['text:style-name']);
        if (!style.hidden) this.#read(element, lookOf(style, look), style.font ?? font);
        break;
      }
      case 'text:a': {
        const href = element.attributes['xlink:href'] ?? '';
        // An address inside the document does not name a heading of the markdown.
        this.#read(element, href === '' || href.startsWith('#') ? look : { ...look, href }, font);
        break;
      }
      case 'text:s':
        this.#push(' '.repeat(Math.max(1, Math.min(1000, Number(element.attributes['text:c'] ?? 1) || 1))), look);
        break;
      case 'text:tab':
        this.#push(look.code ? '\t' : ' ', look);
        break;
      case 'text:line-break':
        this.inlines.push({ kind: 'break', look });
        this.#space = true;
        break;
      case 'text:note':
        this.inlines.push({ kind: 'note', id: this.#inside.note(element), look: {} });
        break;
      case 'text:number':
        this.number = textOf(element).trim();
        break;
      case 'draw:a':
        this.#read(element, { ...look, href: element.attributes['xlink:href'] ?? '' }, font);
        break;
      case 'draw:control':
        this.#push(controlText(this.#context.controls.get(element.attributes['draw:control'] ?? '')), look);
        break;
      case 'field:fieldmark':
        this.#push(fieldmarkText(element) ?? '', look);
        break;
      case 'loext:content-control':
        if (element.attributes['loext:showing-place-holder'] !== 'true') this.#read(element, look, font);
        break;
      case 'field:param':
      case 'office:annotation':
      case 'text:tracked-changes':
      case 'text:ruby-text':
      case 'text:hidden-text':
      case 'text:placeholder':
        break;
      default:
        if (element.name.startsWith('draw:')) this.#drawing(element, look);
        else this.#read(element, look, font);
    }
  }

  /** A shape with text, a formula, a chart, or a picture, which is an image with its description. */
  #drawing(drawing: XmlElement, look: Look): void {
    if (holdsText(drawing)) {
      this.anchored.push(drawing);
      return;
    }
    const object = child(drawing, 'draw:object');
    const embedded = object === undefined ? undefined : this.#context.objects.get(object, this.#inside.table);
    if (embedded !== undefined && 'tex' in embedded && embedded.tex !== '') {
      this.#context.budget.take(embedded.tex.length);
      this.#apart(this.#before(), look);
      this.inlines.push({ kind: 'math', value: `$${embedded.tex}$`, look });
      this.#space = false;
      return;
    }
    if (embedded !== undefined && 'blocks' in embedded && embedded.blocks.length > 0) {
      this.#context.budget.take(sizeOf(embedded.blocks));
      this.anchored.push(embedded);
    }
    this.#picture(drawing, look);
  }

  #picture(drawing: XmlElement, { href }: Look): void {
    const description = textOf(child(drawing, 'svg:desc')) || textOf(child(drawing, 'svg:title'));
    const alt = description.replace(/\s+/g, ' ').trim();
    if (alt === '') {
      for (const inner of elements(drawing)) if (inner.name.startsWith('draw:')) this.#drawing(inner, { href });
      return;
    }
    this.#context.budget.take(alt.length);
    this.inlines.push({ kind: 'image', alt, url: '', look: href === undefined ? {} : { href } });
    this.#space = false;
  }

  #text(value: string, look: Look, font: string | undefined): void {
    let collapsed = value.replace(/[ \t\r\n]+/g, ' ');
    if (this.#space && collapsed.startsWith(' ')) collapsed = collapsed.slice(1);
    this.#push(symbolText(font, collapsed), look);
  }

  /** A space between a formula, whose frame has margins, and a word or a formula. */
  #apart(beside: string, look: Look): void {
    if (/[\p{L}\p{N}$]/u.test(beside)) this.inlines.push(text(' ', look));
  }

  /** The character before the next piece. */
  #before(): string {
    const last = this.inlines.at(-1);
    return last?.kind === 'text' || last?.kind === 'math' ? last.value.slice(-1) : '';
  }

  #push(value: string, look: Look): void {
    if (value === '') return;
    if (this.inlines.at(-1)?.kind === 'math') this.#apart(String.fromCodePoint(value.codePointAt(0)!), look);
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
  if (style.typewriter === true) look.code = true;
  else if (style.typewriter === false && style.code !== true) delete look.code;
  if ('script' in style) look.script = style.script;
  return look;
}

/** Cells of embedded tables, which several frames may show. */
function sizeOf(blocks: readonly Block[]): number {
  return blocks.reduce(
    (sum, block) => sum + (block.kind === 'table' ? block.rows.reduce((cells, row) => cells + row.cells.length, 0) : 1),
    0,
  );
}

/** Parts of a picture or object that repeat it, or that say nothing of the text. */
const OPAQUE = new Set(['draw:image', 'draw:object', 'draw:object-ole', 'svg:title', 'svg:desc']);

/** Whether a drawing holds paragraphs, so that it is read as blocks. */
export function holdsText(drawing: XmlElement): boolean {
  return elements(drawing).some((inner) =>
    inner.name === 'text:p' || inner.name === 'text:h' || (!OPAQUE.has(inner.name) && holdsText(inner))
  );
}
