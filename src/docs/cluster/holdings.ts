import type { UnitNumber } from './unit.ts';

/** Bytes are announced in steps of a tenth: placement by memory would change with each document otherwise. */
const STEP = 1.1;
/** A unit that shrinks keeps its step until it is this many steps smaller, so that it does not go back and forth. */
const SLACK = 3;

/** Units that a node has ready, with the bytes that each takes. */
export type Holdings = ReadonlyMap<UnitNumber, number>;

/** The step of a number of bytes: the least one that is not below it. */
function stepOf(bytes: number): number {
  return bytes <= 1 ? 0 : Math.ceil(Math.log(bytes) / Math.log(STEP) - 1e-9);
}

function bytesOfStep(step: number): number {
  return Math.round(STEP ** step);
}

/**
 * What a node announces: its ready units, and the steps of their sizes. A unit that has grown gets its new step, and
 * one that has become a little smaller keeps the step that it had.
 */
export class Announcement {
  #steps: ReadonlyMap<UnitNumber, number> = new Map();
  #number = 0;

  /** Counts what has been announced. */
  get number(): number {
    return this.#number;
  }

  /** The present units as a text of JSON, or undefined if nothing has changed. */
  update(holdings: Holdings): string | undefined {
    const steps = new Map([...holdings].map(([unit, bytes]) => [unit, this.#stepOf(unit, bytes)]));
    const isSame = this.#number > 0 && steps.size === this.#steps.size &&
      [...steps].every(([unit, step]) => this.#steps.get(unit) === step);
    if (isSame) return undefined;
    this.#steps = steps;
    this.#number += 1;
    return encoded(steps);
  }

  /** Nobody knows of it any more. */
  forget(): void {
    this.#steps = new Map();
    this.#number = 0;
  }

  #stepOf(unit: UnitNumber, bytes: number): number {
    const step = stepOf(bytes);
    const former = this.#steps.get(unit);
    return former !== undefined && step <= former && step > former - SLACK ? former : step;
  }
}

/** `[unit, step, unit, step, ...]`, each unit as the difference to the one before. */
function encoded(steps: ReadonlyMap<UnitNumber, number>): string {
  const flat: number[] = [];
  let before = 0;
  for (const [unit, step] of [...steps].sort(([one], [other]) => one - other)) {
    flat.push(unit - before, step);
    before = unit;
  }
  return JSON.stringify(flat);
}

/** The units of an announcement with their bytes. */
export function decoded(units: string): Holdings {
  const flat = JSON.parse(units) as number[];
  const holdings = new Map<UnitNumber, number>();
  let unit = 0;
  for (let at = 0; at < flat.length; at += 2) {
    unit += flat[at]!;
    holdings.set(unit, bytesOfStep(flat[at + 1]!));
  }
  return holdings;
}
