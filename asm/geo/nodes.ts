// Nodes of the tree, and the boxes around them; `layout.ts` draws their layout.

import { allocate, release } from '../columns/memory.ts';
import { B_MAX, BOX_BYTES, DIMENSIONS, H_ROOT, I_BOXES, I_CHILDREN, I_KEYS, L_LAT, L_LNG, L_X, L_Y, L_Z, N_LEVEL,
  N_PARENT, NODE_BYTES, PART_NODES } from './layout.ts';

export function newNode(level: u32): usize {
  const node = allocate(NODE_BYTES, PART_NODES);
  store<u32>(node, 0);
  store<u32>(node, 0, N_PARENT);
  store<u32>(node, level, N_LEVEL);
  return node;
}

export function freeNode(node: usize): void {
  release(node, NODE_BYTES, PART_NODES);
}

export function countOf(node: usize): u32 {
  return load<u32>(node);
}

export function parentOf(node: usize): usize {
  return load<u32>(node, N_PARENT);
}

export function levelOf(node: usize): u32 {
  return load<u32>(node, N_LEVEL);
}

export function childAt(node: usize, index: u32): usize {
  return load<u32>(node + (<usize>index << 2), I_CHILDREN);
}

export function keyAt(node: usize, index: u32): u64 {
  return load<u64>(node + (<usize>index << 3), I_KEYS);
}

export function boxAt(node: usize, index: u32): usize {
  return node + I_BOXES + index * <u32>BOX_BYTES;
}

/** Index of a child in its parent. */
export function indexIn(parent: usize, child: usize): u32 {
  let i: u32 = 0;
  while (childAt(parent, i) !== child) i++;
  assert(i < countOf(parent), 'a child that its parent has not');
  return i;
}

export function setChild(node: usize, index: u32, key: u64, child: usize): void {
  store<u64>(node + (<usize>index << 3), key, I_KEYS);
  store<u32>(node + (<usize>index << 2), <u32>child, I_CHILDREN);
  store<u32>(child, <u32>node, N_PARENT);
}

export function makeRoot(node: usize): void {
  store<u32>(H_ROOT, <u32>node);
  if (node !== 0) store<u32>(node, 0, N_PARENT);
}

/** Writes the box around everything in a node. */
export function measure(node: usize, box: usize): void {
  for (let d: usize = 0; d < B_MAX; d += 8) {
    store<f64>(box + d, Infinity);
    store<f64>(box + d, -Infinity, B_MAX);
  }
  const count = countOf(node);
  if (levelOf(node) > 0) {
    for (let i: u32 = 0; i < count; i++) uniteBoxes(box, boxAt(node, i));
    return;
  }
  measureColumn(node + L_X, count, box);
  measureColumn(node + L_Y, count, box + 8);
  measureColumn(node + L_Z, count, box + 16);
  measureColumn(node + L_LAT, count, box + 24);
  measureColumn(node + L_LNG, count, box + 32);
}

function measureColumn(column: usize, count: u32, box: usize): void {
  let low = load<f64>(box);
  let high = load<f64>(box, B_MAX);
  for (let i: u32 = 0; i < count; i++) {
    const value = load<f64>(column + (<usize>i << 3));
    low = min(low, value);
    high = max(high, value);
  }
  store<f64>(box, low);
  store<f64>(box, high, B_MAX);
}

/** Widens a box. Returns whether that was necessary. */
export function uniteBoxes(box: usize, other: usize): bool {
  let wider = false;
  for (let i: u32 = 0; i < DIMENSIONS; i++) {
    const d = <usize>i << 3;
    if (load<f64>(other + d) < load<f64>(box + d)) {
      store<f64>(box + d, load<f64>(other + d));
      wider = true;
    }
    if (load<f64>(other + d, B_MAX) > load<f64>(box + d, B_MAX)) {
      store<f64>(box + d, load<f64>(other + d, B_MAX), B_MAX);
      wider = true;
    }
  }
  return wider;
}
