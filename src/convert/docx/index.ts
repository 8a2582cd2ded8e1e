import { Archive } from '../archive.ts';
import { ConversionError, type Parts, type ReadEmbedded, type ReadOptions } from '../contract.ts';
import { OutputBudget } from '../limits.ts';
import { metadataPart, metaOf } from '../meta.ts';
import { type Block, firstHeading, rootOf } from '../tree/blocks.ts';
import { child, elements, textOf, type XmlElement } from '../xml.ts';
import { bodyBlocks, type DocxContext } from './body.ts';
import { Embedded } from './embedded.ts';
import { graphicBlocks } from './graphics.ts';
import { DocxNumbering } from './numbering.ts';
import { DocxFile } from './package.ts';
import { DocxStyles } from './styles.ts';

/**
 * A Word document (ECMA-376) as a tree: headings by style or outline level with their numbers, lists by their
 * numbering, tables, links, notes, formulas, descriptions of pictures, texts of diagrams and charts, and embedded
 * files, which `readEmbedded` reads. Headers, footers, comments, deleted text, hidden text, prompts of empty form
 * fields and the table of contents are left out; tracked changes count as accepted.
 * @throws ConversionError
 */
export async function readDocx(bytes: Uint8Array, options: ReadOptions, readEmbedded?: ReadEmbedded): Promise<Parts> {
  const file = new DocxFile(new Archive(bytes));
  const body = child(file.part('document', true), 'w:body');
  if (body === undefined) throw new ConversionError('damaged', 'is damaged: word/document.xml has no body');
  const notes = new Notes(file);
  const budget = new OutputBudget(options.maxOutput);
  const shared: Shared = {
    styles: new DocxStyles(file.part('styles')),
    numbering: new DocxNumbering(file.part('numbering')),
    note: notes.refer.bind(notes),
    budget,
    graphics: new Map(),
    embeddings: new Embedded(file, budget),
  };
  const blocks = bodyBlocks(body, contextOf('document', file, shared));
  const noteBlocks = notes.read(shared);
  const warnings = await shared.embeddings.read(readEmbedded);
  const core = metadataPart(() => file.parse('docProps/core.xml'), warnings);
  const said = (name: string) => textOf(child(core, name));
  return {
    content: rootOf(blocks, noteBlocks),
    meta: metaOf({
      title: said('dc:title') || firstHeading(blocks),
      author: said('dc:creator').split(';'),
      lang: said('dc:language') || languageOf(file.part('styles')),
      created: said('dcterms:created'),
      modified: said('dcterms:modified'),
    }),
    warnings,
    repaired: 0,
  };
}

/** What all parts of a file share, and what was read of the parts that drawings show. */
interface Shared extends Pick<DocxContext, 'styles' | 'numbering' | 'note' | 'budget'> {
  readonly graphics: Map<string, readonly Block[]>;
  readonly embeddings: Embedded;
}

/** The context of a part, which has relationships of its own. */
function contextOf(name: string, file: DocxFile, shared: Shared): DocxContext {
  const relationships = file.relationships(name);
  return {
    ...shared,
    links: new Map(
      [...relationships].filter(([, { external, type }]) => external && type.endsWith('/hyperlink')).map((
        [id, { target }],
      ) => [id, target]),
    ),
    graphic: (id) => {
      const { target, external } = relationships.get(id) ?? { target: '', external: true };
      if (external) return [];
      if (!shared.graphics.has(target)) {
        const part = file.parse(target);
        shared.graphics.set(target, part === undefined ? [] : graphicBlocks(part));
      }
      const blocks = shared.graphics.get(target)!;
      shared.budget.take(
        blocks.reduce((sum, block) => sum + (block.kind === 'table' ? 10 * block.rows.length : 10), 0),
      );
      return [...blocks];
    },
    embedded: (id) => shared.embeddings.refer(relationships.get(id)),
  };
}

/** The language of the default style. */
function languageOf(styles: XmlElement | undefined): string | undefined {
  const defaults = child(child(child(styles, 'w:docDefaults'), 'w:rPrDefault'), 'w:rPr');
  return child(defaults, 'w:lang')?.attributes['w:val'];
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

  read(shared: Shared): Map<string, Block[]> {
    const blocks = new Map<string, Block[]>();
    if (this.#referred.size === 0) return blocks;
    const parts = { footnote: this.#part('footnote', shared), endnote: this.#part('endnote', shared) };
    // Notes inside notes are added while this runs.
    for (const [name, { kind, id }] of this.#referred) {
      const { bodies, context } = parts[kind];
      const body = bodies.get(id);
      blocks.set(name, body === undefined ? [] : bodyBlocks(body, context));
    }
    return blocks;
  }

  #part(kind: 'footnote' | 'endnote', shared: Shared): { bodies: Map<string, XmlElement>; context: DocxContext } {
    const part = this.#file.part(`${kind}s`);
    return {
      bodies: new Map(elements(part, `w:${kind}`).map((note) => [note.attributes['w:id'] ?? '', note])),
      context: contextOf(`${kind}s`, this.#file, shared),
    };
  }
}
