import type { Nodes } from 'mdast';

/** Replaces halves of surrogate pairs, which `\u` can write alone; returns how many characters are U+FFFD then. */
export function repairUnpaired(node: Nodes): number {
  if ('value' in node && typeof node.value === 'string') {
    node.value = node.value.toWellFormed();
    return node.value.split('\ufffd').length - 1;
  }
  return 'children' in node ? node.children.reduce((sum, child) => sum + repairUnpaired(child as Nodes), 0) : 0;
}
