import type { BlockContent, Root } from 'mdast';
import { ConversionError, type ReadEmbedded } from '../contract.ts';
import type { OutputBudget } from '../limits.ts';
import type { Block } from '../tree/blocks.ts';
import type { DocxFile, Relationship } from './package.ts';

/** Files inside a document whose content belongs to its text (`w:altChunk`): HTML, RTF, text or another document. */
export class Embedded {
  readonly #file: DocxFile;
  readonly #budget: OutputBudget;
  /** The places in the text where a file belongs, by its path. */
  readonly #places = new Map<string, BlockContent[][]>();

  constructor(file: DocxFile, budget: OutputBudget) {
    this.#file = file;
    this.#budget = budget;
  }

  /** A block that is empty until `read` has ended. */
  refer(relationship: Relationship | undefined): Block {
    const nodes: BlockContent[] = [];
    const path = relationship === undefined || relationship.external ? '' : relationship.target;
    this.#places.set(path, [...(this.#places.get(path) ?? []), nodes]);
    return { kind: 'nodes', nodes };
  }

  /** Reads each file once; returns a warning for each that cannot be read. @throws ConversionError */
  async read(readEmbedded: ReadEmbedded | undefined): Promise<string[]> {
    const warnings: string[] = [];
    for (const [path, places] of this.#places) {
      const bytes = path === '' ? undefined : this.#file.bytes(path);
      const read = bytes === undefined ? undefined : await readOne(bytes, path, readEmbedded);
      if (read === undefined) warnings.push(`The embedded file ${path.slice(0, 200)} was not converted.`);
      for (const nodes of read === undefined ? [] : places) {
        this.#budget.take(read!.size);
        nodes.push(...structuredClone(read!.nodes));
      }
    }
    return warnings;
  }
}

async function readOne(bytes: Uint8Array, path: string,
  readEmbedded: ReadEmbedded | undefined): Promise<{ nodes: BlockContent[]; size: number } | undefined>
{
  try {
    const parts = await readEmbedded?.(bytes, path);
    if (parts === undefined) return undefined;
    const nodes = typeof parts.content === 'string' ? paragraphs(parts.content) : blocksOf(parts.content);
    return { nodes, size: JSON.stringify(nodes).length };
  } catch (error) {
    // A limit holds for the whole document; a file of an unknown kind is left out.
    if (error instanceof ConversionError && !['too_large', 'too_deep'].includes(error.fault)) return undefined;
    throw error;
  }
}

function blocksOf(root: Root): BlockContent[] {
  return root.children.filter((node) => node.type !== 'footnoteDefinition') as BlockContent[];
}

/** Each line of a text is a paragraph, as in editors. */
function paragraphs(content: string): BlockContent[] {
  return content.split('\n').map((line) => line.trim()).filter((line) => line !== '').map((value) => ({
    type: 'paragraph',
    children: [{ type: 'text', value }],
  }));
}
