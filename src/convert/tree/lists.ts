import type { BlockContent, DefinitionContent, List, ListItem } from 'mdast';
import { MAX_DEPTH } from '../limits.ts';

/** Position of a paragraph in a list. */
export interface ListPlace {
  /** Identifies the list within the file; another value starts a new list. */
  readonly list: string;
  /** 0 for the outermost level. */
  readonly level: number;
  readonly ordered: boolean;
  /** The number of this item, for ordered lists. */
  readonly number?: number | undefined;
  /** What the file shows in front of the item if markdown has no such number, such as `(b)` or `2.1`. */
  readonly label?: string | undefined;
  /** Whether the box in front of the item is ticked; undefined if there is none. */
  readonly checked?: boolean | undefined;
  /** Whether it is a further paragraph of the preceding item. */
  readonly continued?: boolean | undefined;
}

/** The lists that the next paragraph may continue, from the outermost inwards. */
export class OpenLists {
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
    // A clause such as 2.1 below a heading or paragraph is not in a list.
    if (top === undefined && place.label !== undefined && level > 0) {
      this.#out.push(...nodes);
      return;
    }
    if (top !== undefined && top.place.level === level && !continues(top, place)) this.#stack.pop();
    const goesOn = this.#stack.at(-1)?.place.level === level;
    const list = goesOn ? this.#stack.at(-1)!.list : this.#open({ ...place, level });
    list.children.push({ type: 'listItem', spread: false, checked: place.checked ?? null, children: [...nodes] });
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

/** Whether an item belongs to the open list of its level; a number that does not follow starts another one. */
function continues({ list, place: before }: { list: List; place: ListPlace }, place: ListPlace): boolean {
  // Editors make a list of their own for ticked boxes.
  if (before.checked !== undefined && place.checked !== undefined) return true;
  if (before.list !== place.list || before.ordered !== place.ordered) return false;
  return !place.ordered || place.number === undefined || place.number === (list.start ?? 1) + list.children.length;
}
