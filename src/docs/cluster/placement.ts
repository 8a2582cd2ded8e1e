import { Pace } from '../../lib/pace.ts';
import { type Candidate, candidatesOf, type PlaceNode, scoreOf } from './rendezvous.ts';
import type { SizedUnit, UnitNumber } from './unit.ts';

/**
 * Part of a node's memory that placement fills. The rest is for a unit that moves, which its next node loads before
 * another one leaves, and for units that grow.
 */
export const FILLED = 0.9;

/** The nodes that each unit is meant for, the preferred one first. */
export type Placement = ReadonlyMap<UnitNumber, readonly string[]>;

/** A unit in one round of the placement. */
interface Seeker extends SizedUnit {
  /** Nodes of earlier rounds, which it does not choose again. */
  readonly chosen: Candidate[];
}

interface Held {
  readonly seeker: Seeker;
  readonly score: number;
}

/** A node in one round of the placement. */
interface Place {
  readonly candidate: Candidate;
  room: number;
  /** It takes no unit with a lower score. */
  cutoff: number;
  held: Held[];
  load: number;
}

/**
 * Places units on nodes: each on the `replicas` nodes that it prefers (`placementOf`), where memory allows. First all
 * units get one node, then a second one, so that a unit has no second replica before all have one.
 *
 * A node that does not have room for all that prefer it keeps those with the highest scores, and the others go to their
 * next nodes. Each node has a least score that it takes, and these are as low as possible; there is only one such
 * solution, so the result depends on no order, and a unit that grows or goes moves only what follows from that. It is
 * the same on all nodes that know the same.
 *
 * Units for which there is no room have fewer nodes than wanted, or none. Pauses between steps.
 */
export async function placeAll(units: readonly SizedUnit[], nodes: readonly PlaceNode[],
  replicas: number): Promise<Placement>
{
  const pace = new Pace();
  const seekers: Seeker[] = units.map((unit) => ({ ...unit, chosen: [] }));
  const places: Place[] = candidatesOf(nodes).map((candidate) => ({
    candidate,
    room: candidate.limit > 0 ? candidate.limit * FILLED : Infinity,
    cutoff: 0,
    held: [],
    load: 0,
  }));
  for (let round = 0; round < Math.min(replicas, places.length); round++) await placeOnce(seekers, places, pace);
  return new Map(seekers.map(({ unit, chosen }) => [unit, chosen.map(({ name }) => name)]));
}

/** Each unit gets one more node. */
async function placeOnce(seekers: readonly Seeker[], places: readonly Place[], pace: Pace): Promise<void> {
  let seeking = [...seekers];
  while (seeking.length > 0) {
    const full = new Set<Place>();
    for (const seeker of seeking) {
      const place = settle(seeker, places);
      if (place !== undefined && place.load > place.room) full.add(place);
      if (pace.isDue) await pace.rest();
    }
    seeking = [...full].flatMap(turnAway);
  }
  for (const place of places) {
    for (const { seeker } of place.held) seeker.chosen.push(place.candidate);
    place.room -= place.load;
    Object.assign(place, { held: [], load: 0, cutoff: 0 });
  }
}

/** Adds a unit to the node that it prefers of those that take it; undefined if there is none. */
function settle(seeker: Seeker, places: readonly Place[]): Place | undefined {
  let best: Place | undefined;
  let highest = 0;
  for (const place of places) {
    if (place.room < seeker.bytes || seeker.chosen.includes(place.candidate)) continue;
    const score = scoreOf(seeker.unit, place.candidate);
    if (score <= highest || score < place.cutoff) continue;
    best = place;
    highest = score;
  }
  if (best === undefined) return undefined;
  best.held.push({ seeker, score: highest });
  best.load += seeker.bytes;
  return best;
}

/** A node keeps those with the highest scores that fit; returns the others, and takes none like them any more. */
function turnAway(place: Place): Seeker[] {
  place.held.sort((one, other) => other.score - one.score || one.seeker.unit - other.seeker.unit);
  let load = 0;
  const end = place.held.findIndex(({ seeker }) => (load += seeker.bytes) > place.room);
  const away = place.held.splice(end);
  place.load = place.held.reduce((sum, { seeker }) => sum + seeker.bytes, 0);
  // Above the first that does not fit: all that are below it are turned away, too.
  place.cutoff = Math.max(place.cutoff, away[0]!.score * (1 + Number.EPSILON));
  return away.map(({ seeker }) => seeker);
}
