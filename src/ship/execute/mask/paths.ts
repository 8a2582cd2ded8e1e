/** A place in a tree of bytes. */
interface Place {
  readonly next: ReadonlyMap<number, Place>;
  readonly complete: boolean;
}

/** Bytes that begin escapes of all characters. Paths inside of patterns leave them out: there would be too many. */
export const SPECIAL: ReadonlySet<number> = new Set(Buffer.from('\\%&'));

/** The bytes that may follow from some places of a tree, as numbers with seven bits for each byte. */
export interface Paths {
  readonly one: readonly number[];
  /** Of `one`: those that end the character. */
  readonly oneComplete: readonly number[];
  readonly two: readonly number[];
  readonly twoComplete: readonly number[];
  readonly three: readonly number[];
}

/** Paths with bytes of `without` are left out. */
export function pathsFrom(places: readonly Place[], without: ReadonlySet<number> = new Set()): Paths {
  const one = steps(places.map((place): Path => [0, place]), without);
  const two = steps(one, without);
  return {
    one: numbers(one),
    oneComplete: complete(one),
    two: numbers(two),
    twoComplete: complete(two),
    three: numbers(steps(two, without)),
  };
}

/** The sequences of two bytes that begin with `start`, and go on in the next character. */
export function pairsFrom(start: Paths, second: Paths | undefined): number[] {
  return [...start.two, ...start.oneComplete.flatMap((one) => (second?.one ?? []).map((byte) => (one << 7) | byte))];
}

/** Calls back with each sequence of three bytes that begins with `start`, and goes on in the next two characters. */
export function eachBlock(start: Paths, second: Paths | undefined, third: Paths | undefined,
  found: (block: number) => void): void
{
  for (const block of start.three) found(block);
  if (second === undefined) return;
  for (const two of start.twoComplete) for (const byte of second.one) found((two << 7) | byte);
  for (const one of start.oneComplete) {
    for (const two of second.two) found((one << 14) | two);
    for (const next of second.oneComplete) for (const byte of third?.one ?? []) found((one << 14) | (next << 7) | byte);
  }
}

type Path = readonly [bytes: number, end: Place];

const steps = (paths: readonly Path[], without: ReadonlySet<number>): Path[] =>
  paths.flatMap(([bytes, end]) =>
    Array.from(end.next).flatMap((
      [byte, next],
    ): Path[] => (without.has(byte) ? [] : [[(bytes << 7) | (byte & 127), next]]))
  );
const numbers = (paths: readonly Path[]): number[] => [...new Set(paths.map(([bytes]) => bytes))];
const complete = (paths: readonly Path[]): number[] => numbers(paths.filter(([, end]) => end.complete));
