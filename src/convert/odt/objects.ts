import { mathmlTex } from '../math/mathml.ts';
import type { Block } from '../tree/blocks.ts';
import { text } from '../tree/inlines.ts';
import { child, elements, textOf, type XmlElement } from '../xml.ts';

/** What a frame embeds: a formula within a line, or blocks, such as the titles and the table of a chart. */
export type Embedded = { readonly tex: string } | { readonly blocks: readonly Block[] };

/** Reads the objects that are stored in an archive beside the text, each once. */
export class OdtObjects {
  readonly #read: (path: string) => XmlElement | undefined;
  readonly #known = new Map<string, Embedded | undefined>();

  /** `read` parses a part of the archive; undefined if there is none. */
  constructor(read: (path: string) => XmlElement | undefined) {
    this.#read = read;
  }

  /** What a `draw:object` embeds; undefined if it is of another kind. `tableBlocks` reads a table. */
  get(object: XmlElement, tableBlocks: (table: XmlElement) => Block[]): Embedded | undefined {
    const inside = elements(object).find(({ name }) => !name.startsWith('draw:'));
    if (inside !== undefined) return embeddedOf(inside, tableBlocks);
    const path = (object.attributes['xlink:href'] ?? '').replace(/^\.\//, '').replace(/\/$/, '');
    if (path === '' || path.includes(':')) return undefined;
    if (!this.#known.has(path)) {
      // An object inside itself is left out.
      this.#known.set(path, undefined);
      const part = this.#read(`${path}/content.xml`) ?? this.#read(path);
      this.#known.set(path, part === undefined ? undefined : embeddedOf(part, tableBlocks));
    }
    return this.#known.get(path);
  }
}

function embeddedOf(root: XmlElement, tableBlocks: (table: XmlElement) => Block[]): Embedded | undefined {
  if (root.name === 'math' || root.name === 'math:math') return { tex: mathmlTex(root) };
  const body = child(root, 'office:body');
  const chart = child(child(body, 'office:chart'), 'chart:chart');
  const parts = elements(chart ?? child(body, 'office:spreadsheet'));
  const titles = parts.filter(({ name }) => name === 'chart:title' || name === 'chart:subtitle').map(textOf);
  const axes = elements(child(chart, 'chart:plot-area'), 'chart:axis').map((axis) =>
    textOf(child(axis, 'chart:title'))
  );
  const blocks = [...titles, ...axes].filter((title) => title.trim() !== '').map((title): Block => ({
    kind: 'paragraph',
    inlines: [text(title.replace(/\s+/g, ' ').trim())],
  }));
  return { blocks: [...blocks, ...parts.filter(({ name }) => name === 'table:table').flatMap(tableBlocks)] };
}
