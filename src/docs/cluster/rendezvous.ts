import { createHash } from 'node:crypto';
import type { UnitNumber } from './unit.ts';

/** What placement knows of a node. */
export interface PlaceNode {
  /** It keeps its name over restarts, and with it its share. */
  readonly name: string;
  /** Its share of the units is in proportion to it; 0 for none. */
  readonly weight: number;
  readonly isDraining: boolean;
  /** Bytes of memory for its indexes; 0 for no limit. */
  readonly limit: number;
}

/** A node that can be chosen, with the hash of its name. */
export interface Candidate {
  readonly name: string;
  readonly weight: number;
  readonly limit: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The nodes that can be chosen for units, in the order of their names. Draining nodes and those of weight 0 cannot.
 */
export function candidatesOf(nodes: readonly PlaceNode[]): Candidate[] {
  return nodes.filter(({ weight, isDraining }) => weight > 0 && !isDraining).map(({ name, weight, limit }) => {
    const hash = createHash('sha256').update(name).digest();
    return { name, weight, limit, low: hash.readUInt32LE(0), high: hash.readUInt32LE(4) };
  }).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * How much a node is preferred for a unit: weighted rendezvous hashing by the logarithm method (Schindelhauer and
 * Schomaker, "Weighted distributed hash tables", 2005). Scores of a unit depend on no other node, so a node that comes,
 * goes or changes its weight changes only which units are its own.
 */
export function scoreOf(unit: UnitNumber, { low, high, weight }: Candidate): number {
  const upper = Math.floor(unit / 2 ** 32);
  const first = mixed(low ^ mixed(unit >>> 0) ^ Math.imul(upper, 0x85ebca6b));
  const second = mixed(high ^ first);
  // 52 bits between 0 and 1, both excluded.
  const uniform = (second * 2 ** 20 + (mixed(first ^ second) >>> 12) + 0.5) / 2 ** 52;
  return -weight / Math.log(uniform);
}

/** All candidates, the preferred ones first. */
export function orderOf(unit: UnitNumber, candidates: readonly Candidate[]): Candidate[] {
  const scores = new Map(candidates.map((candidate) => [candidate, scoreOf(unit, candidate)]));
  // The sort is stable, so that equal scores are in the order of names on every node.
  return candidates.toSorted((one, other) => scores.get(other)! - scores.get(one)!);
}

/** The nodes of a unit when memory is no limit, the preferred one first; fewer than `replicas` if there are fewer. */
export function placementOf(unit: UnitNumber, nodes: readonly PlaceNode[], replicas: number): string[] {
  return orderOf(unit, candidatesOf(nodes)).slice(0, replicas).map(({ name }) => name);
}

/** The finalizer of MurmurHash3, a bijection of 32 bits. */
function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
