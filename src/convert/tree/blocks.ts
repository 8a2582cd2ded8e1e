import type { BlockContent, DefinitionContent, Root, RootContent } from 'mdast';
import { type Inline, inlineText, isBlank, phrasing, text, without } from './inlines.ts';
import { type ListPlace, OpenLists } from './lists.ts';
import { framedBlocks, tableNodes, type TableRow } from './tables.ts';
import { codeBlocks } from './typewriter.ts';

export type { ListPlace } from './lists.ts';

/** A piece of a document in reading order; office files express the nesting of lists by levels. */
export type Block =
  | {
    readonly kind: 'heading';
    readonly depth: number;
    readonly inlines: readonly Inline[];
    /** Its number, such as `2.1`. */
    readonly label?: string | undefined;
  }
  | {
    readonly kind: 'paragraph';
    readonly inlines: readonly Inline[];
    readonly place?: ListPlace | undefined;
    readonly quote?: boolean | undefined;
  }
  | { readonly kind: 'code'; readonly text: string; readonly language?: string | undefined;
    readonly place?: ListPlace | undefined }
  | { readonly kind: 'table'; readonly rows: readonly TableRow[]; readonly place?: ListPlace | undefined }
  | { readonly kind: 'rule' }
  /** What another reader made of an embedded file; it may be added until the tree is built. */
  | { readonly kind: 'nodes'; readonly nodes: BlockContent[] };

/** Builds the tree of a document and of its notes; notes are keyed by identifier, in the order of their references. */
export function rootOf(blocks: readonly Block[], notes: ReadonlyMap<string, readonly Block[]> = new Map()): Root {
  const children: RootContent[] = blockNodes(blocks);
  for (const [id, body] of notes)
    children.push({ type: 'footnoteDefinition', identifier: id, label: id, children: blockNodes(body) });
  return { type: 'root', children };
}

/** The nodes of blocks, with consecutive list paragraphs gathered into nested lists. */
function blockNodes(blocks: readonly Block[]): (BlockContent | DefinitionContent)[] {
  const out: (BlockContent | DefinitionContent)[] = [];
  const open = new OpenLists(out);
  for (const block of joinCode(codeBlocks(blocks))) {
    const place = 'place' in block ? block.place : undefined;
    const nodes = nodesOf(block);
    if (nodes.length === 0) continue;
    if (place !== undefined) open.add(place, nodes);
    else {
      open.close();
      out.push(...nodes);
    }
  }
  return out;
}

function nodesOf(block: Block): BlockContent[] {
  switch (block.kind) {
    case 'heading':
      if (isBlank(block.inlines)) return [];
      return [{
        type: 'heading',
        depth: Math.min(6, Math.max(1, block.depth)) as 1,
        children: phrasing(labelled(block.label, without(block.inlines, 'strong')).map(asSpace)),
      }];
    case 'paragraph': {
      if (isBlank(block.inlines)) return [];
      const paragraph: BlockContent = {
        type: 'paragraph',
        children: phrasing(labelled(block.place?.continued ? undefined : block.place?.label, block.inlines)),
      };
      return block.quote ? [{ type: 'blockquote', children: [paragraph] }] : [paragraph];
    }
    case 'code':
      return [{ type: 'code', lang: block.language ?? null, value: block.text }];
    case 'table': {
      const framed = framedBlocks(block.rows);
      return framed === undefined ? tableNodes(block.rows) : (blockNodes(framed) as BlockContent[]);
    }
    case 'rule':
      return [{ type: 'thematicBreak' }];
    case 'nodes':
      return block.nodes;
  }
}

/** Text with the number that the file shows in front of it. */
export function labelled(label: string | undefined, inlines: readonly Inline[]): readonly Inline[] {
  return label === undefined || label === '' ? inlines : [text(`${label} `), ...inlines];
}

/** A heading is one line. */
function asSpace(inline: Inline): Inline {
  return inline.kind === 'break' ? { kind: 'text', value: ' ', look: inline.look } : inline;
}

/** Editors make each line of code a paragraph; adjacent ones are merged into one block. */
function joinCode(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.kind === 'code' && last?.kind === 'code' && block.language === last.language)
      joined[joined.length - 1] = { ...last, text: `${last.text}\n${block.text}` };
    else joined.push(block);
  }
  return joined;
}

/** The text of the first heading, for files that have no title of their own. */
export function firstHeading(blocks: readonly Block[]): string | undefined {
  const heading = blocks.find((block) => block.kind === 'heading' && !isBlank(block.inlines));
  return heading?.kind === 'heading' ? inlineText(heading.inlines) : undefined;
}
