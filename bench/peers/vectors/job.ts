/** The job of a peer of the vector part, and its result. Peers run in separate processes and read the same files. */
export interface VectorJob {
  /** Contiguous float32 rows; `count` is the number of rows to use, which may be smaller than that of the file. */
  readonly base: string;
  readonly count: number;
  readonly dims: number;
  readonly metric: 'cosine' | 'euclidean';
  readonly queries: string;
  /** JSON: `Truth`. */
  readonly truth: string;
  /** Methods to measure, in this order. */
  readonly methods: readonly string[];
  /** Fractions of the rows that filters keep. */
  readonly shares: readonly number[];
  /** An empty folder for the peer's own files. */
  readonly folder: string;
  /** Seconds for each point of a sweep. */
  readonly seconds: number;
  /** Time limit for adding rows, in seconds. */
  readonly buildSeconds: number;
  /** Use the structures for small collections too, although a scan would be as fast. */
  readonly structuresOnly: boolean;
  /** Seconds for which rows are replaced, and then removed, between searches; 0 to skip this. */
  readonly updateSeconds: number;
  /** Whether the index is saved and loaded again after its first method. */
  readonly reopen: boolean;
}

/** For each fraction, the nearest rows of each query; more than ten if several are as near as the tenth. */
export interface Truth {
  readonly [share: string]: readonly (readonly number[])[];
}

/** The effort, such as `ef`. */
export interface Point {
  readonly effort: number;
  readonly recall: number;
  readonly perSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Number of busy processors. */
  readonly cores: number;
}

export interface MethodResult {
  /** Duration from vectors to a searchable index, without reading them. */
  readonly buildSeconds: number;
  /** Number of busy processors in the meantime. */
  readonly buildCores: number;
  /** Bytes per row of the structure itself, if the peer reports them. */
  readonly bytes?: number;
  /**
   * Growth of the process outside JavaScript's heap since before the rows were added, per row; of the first method
   * alone.
   */
  readonly resident?: number;
  /** In order of ascending effort. */
  readonly points: readonly Point[];
  /** The point with the usual effort. */
  readonly usual: Point;
  /** With the usual effort, by fraction. */
  readonly filtered: Readonly<Record<string, Point>>;
}

/** Each update is followed by one search. */
export interface Updates {
  /** Duration until the structure contains all of them. */
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
  /** Duration until the first search was answered. */
  readonly loadMs: number;
}

export interface VectorAnswer {
  /** False if adding rows exceeded the time limit; then nothing else was measured. */
  readonly complete: boolean;
  readonly seconds: number;
  readonly rows: number;
  /** Bytes of a row itself, if the peer reports them. */
  readonly rowBytes?: number;
  readonly methods: Readonly<Record<string, MethodResult>>;
  readonly updates?: Updates;
  readonly reopened?: Reopened;
}

export const K = 10;
/** The fraction for no filter. */
export const ALL = 1;
/** Beam widths (ef) at which graphs are measured. */
export const BEAMS = [10, 15, 20, 30, 45, 70, 100, 150, 250, 400];

/**
 * Numbers that filters compare with a fraction: a row is kept if its number is below `share * DRAWS`. They are
 * independent of the order of rows.
 */
export const DRAWS = 1_000_000;

export function drawOf(row: number): number {
  return Math.floor(((Math.imul(row + 1, 0x9e37_79b1) >>> 0) / 2 ** 32) * DRAWS);
}

export function isChosen(row: number, share: number): boolean {
  return drawOf(row) < share * DRAWS;
}
