// Storing places in the tree: in the leaf of their geohash, which is split when it is full.

import { B_SPLIT, reserve } from './buffers.ts';
import { keyOf } from './keys.ts';
import { B_LAT, B_LNG, B_MAX, BOX_BYTES, H_ORD_END, H_POINTS, H_ROOT, I_BOXES, I_CHILDREN, I_KEYS, INNER_ROOM, L_LAT,
  L_LNG, L_ORDS, L_X, L_Y, L_Z, LEAF_ROOM, N_PARENT, NODE_BYTES } from './layout.ts';
import { boxAt, childAt, countOf, indexIn, keyAt, levelOf, makeRoot, measure, newNode, parentOf, setChild,
  uniteBoxes } from './nodes.ts';
import { leafOf, setLeaf } from './places.ts';
import { removePoint } from './remove.ts';

const RADIANS: f64 = Math.PI / 180;

/** Stores the place of a document and removes its former place. Returns whether that changes anything. */
export function putPoint(ord: u32, lat: f64, lng: f64): bool {
  assert(Math.abs(lat) <= 90 && Math.abs(lng) <= 180, 'a place that is none');
  const known = leafOf(ord);
  if (known !== 0) {
    if (isAt(known, ord, lat, lng)) return false;
    removePoint(ord);
  }
  const key = keyOf(lat, lng);
  if (load<u32>(H_ROOT) === 0) makeRoot(newNode(0));
  let leaf = leafFor(key);
  if (countOf(leaf) === LEAF_ROOM) {
    splitLeaf(leaf);
    leaf = leafFor(key);
  }
  append(leaf, ord, lat, lng);
  store<u32>(H_POINTS, load<u32>(H_POINTS) + 1);
  store<u32>(H_ORD_END, max(load<u32>(H_ORD_END), ord + 1));
  return true;
}

function isAt(leaf: usize, ord: u32, lat: f64, lng: f64): bool {
  const at = placeIn(leaf, ord);
  return load<f64>(leaf + (<usize>at << 3), L_LAT) === lat && load<f64>(leaf + (<usize>at << 3), L_LNG) === lng;
}

/** Index of a document in its leaf. */
export function placeIn(leaf: usize, ord: u32): u32 {
  let i: u32 = 0;
  while (load<u32>(leaf + (<usize>i << 2), L_ORDS) !== ord) i++;
  assert(i < countOf(leaf), 'a document that its leaf has not');
  return i;
}

function leafFor(key: u64): usize {
  let node = <usize>load<u32>(H_ROOT);
  while (levelOf(node) > 0) {
    let i = countOf(node) - 1;
    while (i > 0 && keyAt(node, i) > key) i--;
    node = childAt(node, i);
  }
  return node;
}

/** Adds a point to a leaf that is not full, and widens the boxes around it. */
function append(leaf: usize, ord: u32, lat: f64, lng: f64): void {
  const count = countOf(leaf);
  const at = leaf + (<usize>count << 3);
  const across = Math.cos(lat * RADIANS);
  store<u32>(leaf + (<usize>count << 2), ord, L_ORDS);
  store<f64>(at, lat, L_LAT);
  store<f64>(at, lng, L_LNG);
  store<f64>(at, across * Math.cos(lng * RADIANS), L_X);
  store<f64>(at, across * Math.sin(lng * RADIANS), L_Y);
  store<f64>(at, Math.sin(lat * RADIANS), L_Z);
  store<u32>(leaf, count + 1);
  setLeaf(ord, leaf);
  const box = reserve(B_SPLIT, SPLIT_BYTES);
  store<f64>(box, load<f64>(at, L_X));
  store<f64>(box, load<f64>(at, L_Y), 8);
  store<f64>(box, load<f64>(at, L_Z), 16);
  store<f64>(box, lat, B_LAT);
  store<f64>(box, lng, B_LNG);
  memory.copy(box + B_MAX, box, B_MAX);
  for (let node = leaf, parent = parentOf(leaf); parent !== 0; node = parent, parent = parentOf(node)) {
    if (!uniteBoxes(boxAt(parent, indexIn(parent, node)), box)) return;
  }
}

/** Working memory: the geohashes of a leaf in order with their indexes, and a copy of the leaf. */
const ENTRY: usize = 16;
const COPY: usize = 68 * 16;
const SPLIT_BYTES: u32 = 68 * 16 + 3072;
/** The last leaf stays nearly full, because points that come in order are added behind it. */
const LAST_KEPT: u32 = 60;

function splitLeaf(leaf: usize): void {
  const work = reserve(B_SPLIT, SPLIT_BYTES);
  memory.copy(work + COPY, leaf, NODE_BYTES);
  const copy = work + COPY;
  sortByKey(work, copy);
  const kept = isLast(leaf) ? LAST_KEPT : LEAF_ROOM / 2;
  const right = newNode(0);
  for (let i: u32 = 0; i < kept; i++) copyPoint(leaf, i, copy, placeOf(work, i));
  for (let i = kept; i < LEAF_ROOM; i++) {
    copyPoint(right, i - kept, copy, placeOf(work, i));
    setLeaf(load<u32>(right + (<usize>(i - kept) << 2), L_ORDS), right);
  }
  store<u32>(leaf, kept);
  store<u32>(right, LEAF_ROOM - kept);
  addSibling(leaf, load<u64>(work + kept * <u32>ENTRY), right);
}

/** Sorts by insertion, because points that were added in order are nearly sorted. */
function sortByKey(entries: usize, leaf: usize): void {
  for (let i: u32 = 0; i < LEAF_ROOM; i++) {
    const key = keyOf(load<f64>(leaf + (<usize>i << 3), L_LAT), load<f64>(leaf + (<usize>i << 3), L_LNG));
    let at = entries + i * <u32>ENTRY;
    while (at > entries && load<u64>(at - ENTRY) > key) {
      memory.copy(at, at - ENTRY, ENTRY);
      at -= ENTRY;
    }
    store<u64>(at, key);
    store<u32>(at, i, 8);
  }
}

function placeOf(entries: usize, i: u32): u32 {
  return load<u32>(entries + i * <u32>ENTRY, 8);
}

export function copyPoint(to: usize, i: u32, from: usize, j: u32): void {
  store<u32>(to + (<usize>i << 2), load<u32>(from + (<usize>j << 2), L_ORDS), L_ORDS);
  const a = to + (<usize>i << 3);
  const b = from + (<usize>j << 3);
  store<f64>(a, load<f64>(b, L_LAT), L_LAT);
  store<f64>(a, load<f64>(b, L_LNG), L_LNG);
  store<f64>(a, load<f64>(b, L_X), L_X);
  store<f64>(a, load<f64>(b, L_Y), L_Y);
  store<f64>(a, load<f64>(b, L_Z), L_Z);
}

/** Whether no node of the same level is behind a node. */
function isLast(node: usize): bool {
  for (let parent = parentOf(node); parent !== 0; node = parent, parent = parentOf(node)) {
    if (childAt(parent, countOf(parent) - 1) !== node) return false;
  }
  return true;
}

/** Inserts a node behind its sibling, from which it has taken some children or points. */
function addSibling(node: usize, key: u64, right: usize): void {
  let parent = parentOf(node);
  if (parent === 0) {
    parent = newNode(levelOf(node) + 1);
    store<u32>(parent, 1);
    setChild(parent, 0, 0, node);
    makeRoot(parent);
  }
  if (countOf(parent) === INNER_ROOM) {
    splitInner(parent);
    parent = parentOf(node);
  }
  const at = indexIn(parent, node);
  const behind = countOf(parent) - at - 1;
  memory.copy(parent + I_KEYS + (<usize>(at + 2) << 3), parent + I_KEYS + (<usize>(at + 1) << 3), <usize>behind << 3);
  memory.copy(parent + I_CHILDREN + (<usize>(at + 2) << 2), parent + I_CHILDREN + (<usize>(at + 1) << 2),
    <usize>behind << 2);
  memory.copy(boxAt(parent, at + 2), boxAt(parent, at + 1), <usize>behind * BOX_BYTES);
  store<u32>(parent, countOf(parent) + 1);
  setChild(parent, at + 1, key, right);
  measure(node, boxAt(parent, at));
  measure(right, boxAt(parent, at + 1));
}

function splitInner(node: usize): void {
  const kept = isLast(node) ? INNER_ROOM - 4 : INNER_ROOM / 2;
  const moved = INNER_ROOM - kept;
  const right = newNode(levelOf(node));
  memory.copy(right + I_KEYS, node + I_KEYS + (<usize>kept << 3), <usize>moved << 3);
  memory.copy(right + I_CHILDREN, node + I_CHILDREN + (<usize>kept << 2), <usize>moved << 2);
  memory.copy(right + I_BOXES, boxAt(node, kept), <usize>moved * BOX_BYTES);
  for (let i: u32 = 0; i < moved; i++) store<u32>(childAt(right, i), <u32>right, N_PARENT);
  store<u32>(node, kept);
  store<u32>(right, moved);
  addSibling(node, keyAt(right, 0), right);
}
