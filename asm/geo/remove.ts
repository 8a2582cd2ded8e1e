// Removing places from the tree. A leaf with few points left is merged with its neighbour, so that documents that move
// do not leave a tree of empty leaves behind.

import { copyPoint, placeIn } from './insert.ts';
import { BOX_BYTES, H_POINTS, H_ROOT, I_CHILDREN, I_KEYS, L_ORDS, LEAF_ROOM } from './layout.ts';
import { boxAt, childAt, countOf, freeNode, indexIn, levelOf, makeRoot, measure, parentOf } from './nodes.ts';
import { forgetLeaf, leafOf, setLeaf } from './places.ts';

/** A leaf with fewer points is merged with another one. */
const FEW: u32 = LEAF_ROOM / 4;
/** Most points of a merged leaf, so that it can take more. */
const JOINED: u32 = LEAF_ROOM - LEAF_ROOM / 4;

/** Removes a document. Returns whether it was there. */
export function removePoint(ord: u32): bool {
  const leaf = leafOf(ord);
  if (leaf === 0) return false;
  const count = countOf(leaf) - 1;
  copyPoint(leaf, placeIn(leaf, ord), leaf, count);
  store<u32>(leaf, count);
  forgetLeaf(ord);
  store<u32>(H_POINTS, load<u32>(H_POINTS) - 1);
  if (count === 0) dropNode(leaf);
  else if (count >= FEW || !join(leaf)) tighten(leaf);
  return true;
}

/** Merges a leaf with a neighbour, if both are small enough. */
function join(leaf: usize): bool {
  const parent = parentOf(leaf);
  if (parent === 0) return false;
  const at = indexIn(parent, leaf);
  if (at + 1 < countOf(parent) && moveAll(childAt(parent, at + 1), leaf)) return true;
  return at > 0 && moveAll(leaf, childAt(parent, at - 1));
}

/** Moves the points of a leaf to the previous one, if they fit there. */
function moveAll(from: usize, to: usize): bool {
  const kept = countOf(to);
  const moved = countOf(from);
  if (kept + moved > JOINED) return false;
  for (let i: u32 = 0; i < moved; i++) {
    copyPoint(to, kept + i, from, i);
    setLeaf(load<u32>(from + (<usize>i << 2), L_ORDS), to);
  }
  store<u32>(to, kept + moved);
  tighten(to);
  dropNode(from);
  return true;
}

/** Removes an empty node from its parent, and the parent if it was its last child. */
function dropNode(node: usize): void {
  const parent = parentOf(node);
  freeNode(node);
  if (parent === 0) return makeRoot(0);
  const at = indexIn(parent, node);
  const behind = countOf(parent) - at - 1;
  if (at === 0 && behind === 0) return dropNode(parent);
  memory.copy(parent + I_KEYS + (<usize>at << 3), parent + I_KEYS + (<usize>(at + 1) << 3), <usize>behind << 3);
  memory.copy(parent + I_CHILDREN + (<usize>at << 2), parent + I_CHILDREN + (<usize>(at + 1) << 2), <usize>behind << 2);
  memory.copy(boxAt(parent, at), boxAt(parent, at + 1), <usize>behind * BOX_BYTES);
  store<u32>(parent, countOf(parent) - 1);
  tighten(parent);
  lowerRoot();
}

/** Removes a root that has a single child. */
function lowerRoot(): void {
  for (let root = <usize>load<u32>(H_ROOT); levelOf(root) > 0 && countOf(root) === 1; root = load<u32>(H_ROOT)) {
    makeRoot(childAt(root, 0));
    freeNode(root);
  }
}

/** Recomputes the boxes around a node. */
function tighten(node: usize): void {
  for (let parent = parentOf(node); parent !== 0; node = parent, parent = parentOf(node))
    measure(node, boxAt(parent, indexIn(parent, node)));
}
