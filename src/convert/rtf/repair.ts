import type { Nodes } from 'mdast';

/** Replaces unpaired surrogates, which `\u` can write; returns the number of characters that are U+FFFD afterwards. */
export function repairUnpaired(node: Nodes): number {
  if ('value' in node && typeof node.value === 'string') {
    node.value = node.value.toWellFormed();
    return node.value.split('\ufffd').length - 1;
  }
  return 'children' in node ? node.children.reduce((sum, child) => sum + repairUnpaired(child as Nodes), 0) : 0;
}
