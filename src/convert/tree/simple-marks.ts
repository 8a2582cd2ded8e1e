import type { Nodes, Parents } from 'mdast';

const MARKS: ReadonlySet<string> = new Set(['emphasis', 'strong', 'delete']);

/**
 * Simplifies marks of a tree in place: those within others of the same kind are removed, and those beside others of the
 * same kind are joined with them. Neither changes what is shown, and pages whose marks are not closed nest them by the
 * hundred. The printer looks for characters with which each of them can be read: it tries others for each mistake, and
 * reads the whole paragraph again, which takes a time that grows with the cube of its length.
 */
export function simplifyMarks(node: Nodes, within: readonly string[] = []): void {
  if (!('children' in node)) return;
  const inner = MARKS.has(node.type) ? [...within, node.type] : within;
  const children: Nodes[] = [];
  for (const child of node.children as Nodes[]) {
    simplifyMarks(child, inner);
    const parts = inner.includes(child.type) ? ((child as Parents).children as Nodes[]) : [child];
    for (const part of parts) append(children, part);
  }
  node.children = children as typeof node.children;
}

function append(children: Nodes[], node: Nodes): void {
  const last = children.at(-1);
  if (last === undefined || last.type !== node.type || !MARKS.has(node.type)) children.push(node);
  else for (const part of (node as Parents).children as Nodes[]) append((last as Parents).children as Nodes[], part);
}
