/** What a peer of the vector part is asked and what it answers. Each runs in a process of its own, and reads the same files. */
export interface VectorJob {
  /** Rows of float32, one behind the other; `count` of them, which may be fewer than the file has. */
  readonly base: string;
  readonly count: number;
  readonly dims: number;
  readonly metric: 'cosine' | 'euclidean';
  readonly queries: string;
  /** JSON: `Truth`. */
  readonly truth: string;
  /** Methods to measure, in this order. */
  readonly methods: readonly string[];
  /** Shares of the rows that filters leave. */
  readonly shares: readonly number[];
  /** An empty folder for the peer's own files. */
  readonly folder: string;
  /** Seconds for each point of a sweep. */
  readonly seconds: number;
  /** Adding rows is given up after so many seconds. */
  readonly buildSeconds: number;
  /** Small collections are searched by the structures, though a scan would be as fast. */
  readonly structuresOnly: boolean;
  /** Seconds for which rows are replaced, and then removed, between searches; 0 for not at all. */
  readonly updateSeconds: number;
  /** Whether the index is saved and read again after its first method. */
  readonly reopen: boolean;
}

/** For each share of rows, the nearest rows of each query; more than ten where several are as near as the tenth. */
export interface Truth {
  readonly [share: string]: readonly (readonly number[])[];
}

/** One effort, such as `ef`. */
export interface Point {
  readonly effort: number;
  readonly recall: number;
  readonly perSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processors that were busy. */
  readonly cores: number;
}

export interface MethodResult {
  /** Of the whole way from vectors to searches, without reading them. */
  readonly buildSeconds: number;
  /** Processors that were busy meanwhile. */
  readonly buildCores: number;
  /** Bytes a row of the structure itself, where the peer tells. */
  readonly bytes?: number;
  /** Growth of the process outside of JavaScript's heap since before the rows were added, a row; of the first method alone. */
  readonly resident?: number;
  /** By ascending effort. */
  readonly points: readonly Point[];
  /** The one of the usual effort. */
  readonly usual: Point;
  /** At the usual effort, by share. */
  readonly filtered: Readonly<Record<string, Point>>;
}

/** One search follows each update. */
export interface Updates {
  /** Until the structure has taken in all of them. */
  readonly perSecond: number;
  readonly removalsPerSecond: number;
  /** Median and 99th percentile, in microseconds, of the searches between updates. */
  readonly p50: number;
  readonly p99: number;
  readonly recallAfter: number;
  readonly cores: number;
}

export interface Reopened {
  readonly megabytes: number;
  readonly saveMs: number;
  /** Until the first search was answered. */
  readonly loadMs: number;
}

export interface VectorAnswer {
  /** False when adding rows was given up; then nothing else was measured. */
  readonly complete: boolean;
  readonly seconds: number;
  readonly rows: number;
  /** Bytes of a row itself, where the peer tells. */
  readonly rowBytes?: number;
  readonly methods: Readonly<Record<string, MethodResult>>;
  readonly updates?: Updates;
  readonly reopened?: Reopened;
}

export const K = 10;
/** The share of no filter. */
export const ALL = 1;
/** Widths of the beam (ef) at which graphs are measured. */
export const BEAMS = [10, 15, 20, 30, 45, 70, 100, 150, 250, 400];

/** Numbers that filters compare with a share: below `share * DRAWS`, and none in the order of rows. */
export const DRAWS = 1_000_000;

export function drawOf(row: number): number {
  return Math.floor(((Math.imul(row + 1, 0x9e37_79b1) >>> 0) / 2 ** 32) * DRAWS);
}

export function isChosen(row: number, share: number): boolean {
  return drawOf(row) < share * DRAWS;
}
