import { Archive } from '../archive.ts';
import { ConversionError, type Parts, type ReadOptions } from '../contract.ts';
import { OutputBudget } from '../limits.ts';
import { metaOf } from '../meta.ts';
import { type Block, firstHeading, rootOf } from '../tree/blocks.ts';
import { child, elements, parseXml, textOf, type XmlElement } from '../xml.ts';
import { bodyBlocks, type DocxContext } from './body.ts';
import { DocxNumbering, DocxStyles } from './styles.ts';

/**
 * A Word document (ECMA-376) as a tree: headings by style or outline level, lists by their numbering,
 * tables, links, notes and formulas. Headers, footers, comments, deleted text, hidden text and the
 * table of contents are left out; tracked changes count as accepted.
 * @throws ConversionError
 */
export function readDocx(bytes: Uint8Array, options: ReadOptions): Parts {
  const file = new DocxFile(new Archive(bytes));
  const body = child(file.part('document', true), 'w:body');
  if (body === undefined) throw new ConversionError('damaged', 'is damaged: word/document.xml has no body');
  const notes = new Notes(file);
  const shared = {
    styles: new DocxStyles(file.part('styles')),
    numbering: new DocxNumbering(file.part('numbering')),
    note: notes.refer.bind(notes),
    budget: new OutputBudget(options.maxOutput),
  };
  const blocks = bodyBlocks(body, { ...shared, links: file.links('document') });
  const core = file.core();
  const said = (name: string) => textOf(child(core, name));
  return {
    content: rootOf(blocks, notes.read(shared)),
    meta: metaOf({
      title: said('dc:title') || firstHeading(blocks),
      author: said('dc:creator').split(';'),
      lang: said('dc:language') || file.language(),
      created: said('dcterms:created'),
      modified: said('dcterms:modified'),
    }),
    warnings: [],
    repaired: 0,
  };
}

/** The parts of a document; the package's relationships locate the main one. */
class DocxFile {
  readonly #archive: Archive;
  readonly #folder: string;
  readonly #main: string;
  #styles: XmlElement | undefined;

  constructor(archive: Archive) {
    this.#archive = archive;
    const target = elements(this.#parse('_rels/.rels')).find(({ attributes }) =>
      attributes['Type']?.endsWith('/officeDocument')
    )?.attributes['Target']?.replace(/^\//, '');
    const path = target !== undefined && archive.has(target) ? target : 'word/document.xml';
    this.#folder = path.slice(0, path.lastIndexOf('/') + 1);
    this.#main = path.slice(this.#folder.length);
  }

  part(name: string, needed = false): XmlElement | undefined {
    if (name === 'styles') return (this.#styles ??= this.#parse(`${this.#folder}styles.xml`));
    const part = this.#parse(`${this.#folder}${this.#fileOf(name)}`);
    if (part === undefined && needed)
      throw new ConversionError('damaged', `is damaged: ${this.#folder}${this.#fileOf(name)} is missing`);
    return part;
  }

  /** Addresses of a part's links, by relationship. */
  links(name: string): Map<string, string> {
    const relationships = elements(this.#parse(`${this.#folder}_rels/${this.#fileOf(name)}.rels`));
    return new Map(
      relationships.filter(({ attributes }) =>
        attributes['TargetMode'] === 'External' && attributes['Type']?.endsWith('/hyperlink')
      ).map(({ attributes }) => [attributes['Id'] ?? '', attributes['Target'] ?? '']),
    );
  }

  core(): XmlElement | undefined {
    return this.#parse('docProps/core.xml');
  }

  /** The language of the default style. */
  language(): string | undefined {
    const defaults = child(child(child(this.part('styles'), 'w:docDefaults'), 'w:rPrDefault'), 'w:rPr');
    return child(defaults, 'w:lang')?.attributes['w:val'];
  }

  #fileOf(name: string): string {
    return name === 'document' ? this.#main : `${name}.xml`;
  }

  #parse(path: string): XmlElement | undefined {
    const bytes = this.#archive.read(path);
    return bytes === undefined ? undefined : parseXml(bytes, path);
  }
}

/** Footnotes and endnotes in the order in which the text refers to them. */
class Notes {
  readonly #file: DocxFile;
  readonly #referred = new Map<string, { kind: 'footnote' | 'endnote'; id: string }>();

  constructor(file: DocxFile) {
    this.#file = file;
  }

  refer(kind: 'footnote' | 'endnote', id: string): string {
    const name = [...this.#referred].find(([, note]) => note.kind === kind && note.id === id)?.[0] ??
      String(this.#referred.size + 1);
    this.#referred.set(name, { kind, id });
    return name;
  }

  read(shared: Omit<DocxContext, 'links'>): Map<string, Block[]> {
    const blocks = new Map<string, Block[]>();
    if (this.#referred.size === 0) return blocks;
    const parts = { footnote: this.#part('footnote'), endnote: this.#part('endnote') };
    // Notes inside notes are added while this runs.
    for (const [name, { kind, id }] of this.#referred) {
      const { elements: bodies, links } = parts[kind];
      const body = bodies.get(id);
      blocks.set(name, body === undefined ? [] : bodyBlocks(body, { ...shared, links }));
    }
    return blocks;
  }

  #part(kind: 'footnote' | 'endnote'): { elements: Map<string, XmlElement>; links: Map<string, string> } {
    const part = this.#file.part(`${kind}s`);
    return {
      elements: new Map(elements(part, `w:${kind}`).map((note) => [note.attributes['w:id'] ?? '', note])),
      links: this.#file.links(`${kind}s`),
    };
  }
}
