import type { Element, Root as Page } from 'hast';
import type { State } from 'hast-util-to-mdast';
import type { Nodes, Root, RootContent } from 'mdast';
import rehypeRemark from 'rehype-remark';
import { unified } from 'unified';
import { tableHandler } from './table.ts';

const converter = unified().use(rehypeRemark, {
  document: true,
  handlers: { table: tableHandler },
  nodeHandlers: { root: rootHandler },
}).freeze();

/** The markdown tree of a page without blanks (`removeBlanks`). */
export function treeOf(page: Page): Root {
  return converter.runSync(page) as Root;
}

/** As the handler of hast-util-to-mdast, which is the first that it calls, but for pages of any number of elements. */
function rootHandler(state: State, page: Page): Root {
  state.all = all;
  const root: Root = { type: 'root', children: state.toFlow(state.all(page)) };
  joinTexts(root);
  return root;
}

/** The original passes all children as arguments of one call, for which the stack is too small from some 100,000 on. */
function all(this: State, parent: Page | Element): RootContent[] {
  const results: RootContent[] = [];
  for (const child of parent.children) {
    const result = this.one(child, parent) as RootContent[] | RootContent | undefined;
    if (Array.isArray(result)) { for (const node of result) results.push(node); }
    else if (result !== undefined) results.push(result);
  }
  return results;
}

/**
 * The original removes each text that it joins from the list of children, which takes a time that grows with the square
 * of their number.
 */
function joinTexts(node: Nodes): void {
  if (!('children' in node)) return;
  const joined: Nodes[] = [];
  for (const child of node.children as Nodes[]) {
    const last = joined.at(-1);
    if (child.type === 'text' && last?.type === 'text') last.value += child.value;
    else {
      joinTexts(child);
      joined.push(child);
    }
  }
  node.children = joined as typeof node.children;
}
