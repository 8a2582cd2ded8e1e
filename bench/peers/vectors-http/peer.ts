import type { Prepared } from '../../support/wire.ts';

/** What filters keep: all rows, or those with a value that one in ten or one in a hundred has. */
export const SHARES = [1, 0.1, 0.01] as const;
export type Share = (typeof SHARES)[number];
/** Metadata of a row by which filters choose; `isChosen(row, share)` is true where the value is 0. */
export const FIELDS: Readonly<Record<Exclude<Share, 1>, string>> = { 0.1: 'tenth', 0.01: 'hundredth' };

/** A server of vectors that is searched over HTTP. */
export interface HttpPeer {
  readonly name: string;
  /** Notes for readers of its figures. */
  readonly note: string;
  /** Ways to search; the first one is the best that it has for many vectors. */
  readonly methods: readonly string[];
  /** Why it cannot run here, and what to do about it; undefined if it can. */
  missing(): string | undefined;
  /** Starts it with an empty collection of the cosine, and files in a folder. */
  start(folder: string, dims: number): Promise<RunningPeer>;
}

export interface RunningPeer {
  readonly url: string;
  readonly pid: number;
  /** Stores rows, of `dims` numbers each, whose numbers begin at `first`; resolves when that is acknowledged. */
  add(rows: Float32Array, first: number): Promise<void>;
  /** Resolves when the structures of all methods hold all rows. */
  build(): Promise<void>;
  /** A search for the ten nearest. */
  request(method: string, query: Float32Array, share: Share): Prepared;
  /** The rows of a response, the nearest first. */
  rowsOf(body: string): number[];
  stop(): Promise<void>;
}

/** The metadata of a row. */
export function valuesOf(draw: number): { readonly tenth: number; readonly hundredth: number } {
  return { tenth: Math.floor(draw * 10), hundredth: Math.floor(draw * 100) };
}

/** The bytes of numbers, little endian, as base64. */
export function base64Of(numbers: Float32Array): string {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString('base64');
}
