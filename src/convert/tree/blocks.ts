import type { BlockContent, DefinitionContent, List, ListItem, Root, RootContent } from 'mdast';
import { MAX_DEPTH } from '../limits.ts';
import { type Inline, inlineText, isBlank, phrasing, without } from './inlines.ts';
import { framedBlocks, tableNodes, type TableRow } from './tables.ts';

/** Position of a paragraph in a list. */
export interface ListPlace {
  /** Identifies the list within the file; another value starts a new list. */
  readonly list: string;
  /** 0 for the outermost level. */
  readonly level: number;
  readonly ordered: boolean;
  /** The number of this item, for ordered lists. */
  readonly number?: number | undefined;
  /** Whether it is a further paragraph of the preceding item. */
  readonly continued?: boolean | undefined;
}

/** A piece of a document in reading order; office files express the nesting of lists by levels. */
export type Block = { readonly kind: 'heading'; readonly depth: number; readonly inlines: readonly Inline[] } | {
  readonly kind: 'paragraph';
  readonly inlines: readonly Inline[];
  readonly place?: ListPlace | undefined;
  readonly quote?: boolean | undefined;
} | { readonly kind: 'code'; readonly text: string; readonly language?: string | undefined;
  readonly place?: ListPlace | undefined } | { readonly kind: 'table'; readonly rows: readonly TableRow[];
  readonly place?: ListPlace | undefined } | { readonly kind: 'rule' };

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
  for (const block of joinCode(blocks)) {
    const place = block.kind === 'heading' || block.kind === 'rule' ? undefined : block.place;
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
        children: phrasing(without(block.inlines, 'strong').map(asSpace)),
      }];
    case 'paragraph': {
      if (isBlank(block.inlines)) return [];
      const paragraph: BlockContent = { type: 'paragraph', children: phrasing(block.inlines) };
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
  }
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

/** The lists that the next paragraph may continue, from the outermost inwards. */
class OpenLists {
  readonly #out: (BlockContent | DefinitionContent)[];
  readonly #stack: { list: List; place: ListPlace }[] = [];

  constructor(out: (BlockContent | DefinitionContent)[]) {
    this.#out = out;
  }

  close(): void {
    this.#stack.length = 0;
  }

  add(place: ListPlace, nodes: readonly BlockContent[]): void {
    const level = Math.min(place.level, MAX_DEPTH);
    while (this.#stack.length > 0 && this.#stack.at(-1)!.place.level > level) this.#stack.pop();
    const top = this.#stack.at(-1);
    if (place.continued && top !== undefined) {
      top.list.children.at(-1)!.children.push(...nodes);
      return;
    }
    if (top !== undefined && top.place.level === level &&
      (top.place.list !== place.list || top.place.ordered !== place.ordered)) this.#stack.pop();
    const goesOn = this.#stack.at(-1)?.place.level === level;
    const list = goesOn ? this.#stack.at(-1)!.list : this.#open({ ...place, level });
    list.children.push({ type: 'listItem', spread: false, children: [...nodes] });
  }

  #open(place: ListPlace): List {
    const list: List = {
      type: 'list',
      ordered: place.ordered,
      start: place.ordered ? (place.number ?? 1) : null,
      spread: false,
      children: [],
    };
    const item: ListItem | undefined = this.#stack.at(-1)?.list.children.at(-1);
    if (item === undefined) this.#out.push(list);
    else item.children.push(list);
    this.#stack.push({ list, place });
    return list;
  }
}

/** The text of the first heading, for files that have no title of their own. */
export function firstHeading(blocks: readonly Block[]): string | undefined {
  const heading = blocks.find((block) => block.kind === 'heading' && !isBlank(block.inlines));
  return heading?.kind === 'heading' ? inlineText(heading.inlines) : undefined;
}
