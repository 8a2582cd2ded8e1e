import * as layout from '../../generated/kernels/geo.ts';
import { spend } from '../lib/pace.ts';

/** Points that a step of a search looks at: about a millisecond. */
const POINTS = 32_768;
/** Edges that a step compares with points, or puts into lists: about a millisecond, too. */
const EDGES = 1 << 17;
/** Edges that are listed in a step; each is in 8 lists on average, and in 4,096 at most. */
const LISTED = EDGES / 8;

/** The exports of `asm/geo.ts` that go on with a search, where their contracts are documented. */
export interface SearchExports extends WebAssembly.Exports {
  advance(budget: number): number;
  stepsTaken(): number;
  park(): number;
  resume(kept: number): void;
  drop(buffer: number): void;
  openShape(edges: number): number;
  shapeEdges(shape: number): number;
  measureShape(shape: number): void;
  countEdges(shape: number, from: number, to: number): number;
  openBands(shape: number): void;
  listEdges(shape: number, from: number, to: number): void;
  testCandidates(shape: number, budget: number): number;
  passed(shape: number): number;
  passedOrds(shape: number): number;
  closeShape(shape: number): void;
}

/** Work in bounded steps, of which the first is done at once. */
export interface Stepping<T> {
  readonly isDone: boolean;
  /** Goes on for about a millisecond; does nothing when the work is done. */
  step(): void;
  /** The result of work that is done; to be called once. */
  result(): T;
  /** Frees what the work uses; harmless when repeated. */
  close(): void;
}

/**
 * A search through the tree. Between two steps others may be made, but the tree must not change until the search is
 * done or closed.
 */
export class Walk<T> implements Stepping<T> {
  readonly #call: SearchExports;
  readonly #read: () => T;
  /** Address of the query between two steps; 0 when it is done. */
  #parked = 0;
  #result: T | undefined;

  /** Goes on with the query that was opened last. `read` reads what was found. */
  constructor(call: SearchExports, read: () => T) {
    this.#call = call;
    this.#read = read;
    this.#advance();
  }

  get isDone(): boolean {
    return this.#parked === 0;
  }

  step(): void {
    if (this.isDone) return;
    this.#unpark();
    this.#advance();
  }

  result(): T {
    return this.#result!;
  }

  close(): void {
    if (this.isDone) return;
    this.#unpark();
    this.#call.drop(layout.B_FOUND);
  }

  #advance(): void {
    const isMore = this.#call.advance(POINTS) !== 0;
    spend(this.#call.stepsTaken());
    if (isMore) this.#parked = this.#call.park() >>> 0;
    else this.#result = this.#read();
  }

  #unpark(): void {
    this.#call.resume(this.#parked);
    this.#parked = 0;
  }
}

/** Sides of polygons, as the kernel reads them. */
export type Edges = Pick<EdgeList, 'count' | 'bytes'>;

/** The sides of polygons, in the format of the kernel. They must be added in the order of polygons and rings. */
export class EdgeList {
  #floats = new Float64Array(64 * (layout.EDGE / 8));
  #words = new Uint32Array(this.#floats.buffer);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#floats.buffer, 0, this.#count * layout.EDGE);
  }

  /** Adds a side from one corner to another, as longitude and latitude. */
  add(x0: number, y0: number, x1: number, y1: number,
    { ring, polygon, isHole }: { readonly ring: number; readonly polygon: number; readonly isHole: boolean }): void
  {
    const at = this.#count * (layout.EDGE / 8);
    if (at === this.#floats.length) this.#grow();
    this.#floats[at] = x0;
    this.#floats[at + 1] = y0;
    this.#floats[at + 2] = x1;
    this.#floats[at + 3] = y1;
    this.#words[at * 2 + layout.E_RING / 4] = ring;
    this.#words[at * 2 + layout.E_PART / 4] = polygon * 2 + (isHole ? 1 : 0);
    this.#count += 1;
  }

  #grow(): void {
    const wider = new Float64Array(this.#floats.length * 2);
    wider.set(this.#floats);
    this.#floats = wider;
    this.#words = new Uint32Array(wider.buffer);
  }
}

/**
 * Tests which of the points that a search has found are in a shape, on a copy of them: the tree may change meanwhile.
 */
export class ShapeTest implements Stepping<Uint32Array> {
  readonly #call: SearchExports;
  readonly #memory: WebAssembly.Memory;
  readonly #shape: number;
  readonly #edges: number;
  /** Edges that were counted, then listed in their bands. */
  #counted = 0;
  #listed = 0;
  #isTested = false;
  #isClosed = false;

  /** Takes over the points that were found last. */
  constructor(call: SearchExports, memory: WebAssembly.Memory, edges: Edges) {
    this.#call = call;
    this.#memory = memory;
    this.#edges = edges.count;
    this.#shape = call.openShape(edges.count) >>> 0;
    new Uint8Array(memory.buffer, call.shapeEdges(this.#shape) >>> 0, edges.bytes.length).set(edges.bytes);
    call.measureShape(this.#shape);
    spend(edges.count);
    if (edges.count <= LISTED) this.step();
  }

  get isDone(): boolean {
    return this.#isTested;
  }

  step(): void {
    if (this.#isTested) return;
    if (this.#counted < this.#edges) this.#count();
    else if (this.#listed < this.#edges) this.#list();
    else this.#test();
  }

  result(): Uint32Array {
    return new Uint32Array(this.#memory.buffer, this.#call.passedOrds(this.#shape) >>> 0,
      this.#call.passed(this.#shape)).slice();
  }

  close(): void {
    if (!this.#isClosed) this.#call.closeShape(this.#shape);
    this.#isClosed = true;
  }

  #count(): void {
    const to = Math.min(this.#edges, this.#counted + LISTED);
    spend(this.#call.countEdges(this.#shape, this.#counted, to));
    this.#counted = to;
    if (to === this.#edges) this.#call.openBands(this.#shape);
  }

  #list(): void {
    const to = Math.min(this.#edges, this.#listed + LISTED);
    this.#call.listEdges(this.#shape, this.#listed, to);
    this.#listed = to;
  }

  #test(): void {
    const tested = this.#call.testCandidates(this.#shape, EDGES);
    spend(tested);
    this.#isTested = tested === 0;
  }
}
