import type { CellCount, NearResult } from '../../kernels/geo.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import { type Holds, type PackedSet, packSet, type PartLink, unpackSet } from '../parts/index.ts';
import type { GeoQuery, NearDocument, NearQuery, PlacesPart } from './contract.ts';
import type { Point } from './distance.ts';
import type { PlaceIndex } from './place-index.ts';
import type { Circle, LatLngBox, Shape } from './shape.ts';

/** A query as it is sent: only with the documents of the part. */
type Sent<Query extends GeoQuery> = Omit<Query, 'documents'> & { readonly documents?: PackedSet | undefined };

type Summary = Pick<PlacesPart, 'builtAt' | 'documents' | 'bytes'>;

/** Cells as arrays: a part may have as many as documents. */
interface SentCells {
  readonly cells: BigUint64Array;
  readonly counts: Uint32Array;
}

/** What stand-ins ask of places in other processes, by method: what is passed, and what is returned. */
interface PlaceQuestions {
  summary(): Summary;
  pointsOf(ords: readonly number[]): readonly (Point | undefined)[];
  nearest(circle: Circle, query: Sent<NearQuery>): NearResult;
  near(circle: Circle, query: Sent<NearQuery>): NearDocument[];
  inCircle(circle: Circle, query: Sent<GeoQuery>): Uint32Array;
  within(box: LatLngBox, query: Sent<GeoQuery>): Uint32Array;
  inside(shape: Shape, query: Sent<GeoQuery>): Uint32Array;
  allCells(length: number, documents: PackedSet | undefined): SentCells;
}

type Method = keyof PlaceQuestions;

/**
 * The places of a part in another process, for `joinPlaces`; `answerPlaces` answers there. A search whose signal is
 * aborted goes on there, and rejects when it is answered.
 */
export class RemotePlaces implements PlacesPart {
  readonly #link: PartLink;
  readonly #holds: Holds;

  /** `holds` tells the documents of the part, so that sets that are sent have no others. */
  constructor(link: PartLink, holds: Holds) {
    this.#link = link;
    this.#holds = holds;
  }

  get builtAt(): number {
    return this.#summary().builtAt;
  }

  get documents(): number {
    return this.#summary().documents;
  }

  get bytes(): number {
    return this.#summary().bytes;
  }

  pointsOf(ords: readonly number[]): (Point | undefined)[] {
    const own = ords.filter(this.#holds);
    const points = own.length === 0 ? [] : this.#link.known<ReturnType<PlaceQuestions['pointsOf']>>('pointsOf', own);
    const found = new Map(own.map((ord, i) => [ord, points[i]]));
    return ords.map((ord) => found.get(ord));
  }

  nearest(circle: Circle, query: NearQuery, signal?: AbortSignal): Promise<NearResult> {
    return this.#ask(signal, 'nearest', circle, this.#sent(query));
  }

  near(circle: Circle, query: NearQuery, signal?: AbortSignal): Promise<NearDocument[]> {
    return this.#ask(signal, 'near', circle, this.#sent(query));
  }

  inCircle(circle: Circle, query: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    return this.#ask(signal, 'inCircle', circle, this.#sent(query));
  }

  within(box: LatLngBox, query: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    return this.#ask(signal, 'within', box, this.#sent(query));
  }

  inside({ edges, box }: Shape, query: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    const { count, bytes } = edges;
    return this.#ask(signal, 'inside', { edges: { count, bytes }, box }, this.#sent(query));
  }

  async allCells(length: number, documents?: OrdSet, signal?: AbortSignal): Promise<CellCount[]> {
    const { cells, counts } = await this.#ask(signal, 'allCells', length, this.#packed(documents));
    return Array.from(cells, (cell, i) => ({ cell, count: counts[i]! }));
  }

  #summary(): Summary {
    return this.#link.steady('summary');
  }

  async #ask<M extends Method>(signal: AbortSignal | undefined, method: M,
    ...args: Parameters<PlaceQuestions[M]>): Promise<ReturnType<PlaceQuestions[M]>>
  {
    signal?.throwIfAborted();
    const found = await this.#link.ask<ReturnType<PlaceQuestions[M]>>(method, ...args);
    signal?.throwIfAborted();
    return found;
  }

  #sent<Query extends GeoQuery>({ documents, ...query }: Query): Sent<Query> {
    return { ...query, documents: this.#packed(documents) };
  }

  #packed(documents: OrdSet | undefined): PackedSet | undefined {
    return documents && packSet(documents, this.#holds);
  }
}

type Answer<Question> = Question extends (...args: infer Args) => infer T
  ? (places: PlaceIndex, ...args: Args) => T | Promise<T>
  : never;

const ANSWERS: { readonly [M in Method]: Answer<PlaceQuestions[M]> } = {
  summary: ({ builtAt, documents, bytes }) => ({ builtAt, documents, bytes }),
  pointsOf: (places, ords) => places.pointsOf(ords),
  nearest: (places, circle, query) => places.nearest(circle, received(query)),
  near: (places, circle, query) => places.near(circle, received(query)),
  inCircle: (places, circle, query) => places.inCircle(circle, received(query)),
  within: (places, box, query) => places.within(box, received(query)),
  inside: (places, shape, query) => places.inside(shape, received(query)),
  async allCells(places, length, documents) {
    const found = await places.allCells(length, unpacked(documents));
    return {
      cells: BigUint64Array.from(found, ({ cell }) => cell),
      counts: Uint32Array.from(found, ({ count }) => count),
    };
  },
};

/**
 * Answers a stand-in in another process (`RemotePlaces`). Throws a RangeError for a method that there is not, and what
 * the places throw.
 */
export function answerPlaces(places: PlaceIndex, method: string, args: readonly unknown[]): unknown {
  if (!Object.hasOwn(ANSWERS, method)) throw new RangeError(`places answer no question ${JSON.stringify(method)}`);
  const answer = ANSWERS[method as Method] as (places: PlaceIndex, ...args: readonly unknown[]) => unknown;
  return answer(places, ...args);
}

function received<Query extends GeoQuery>({ documents, ...query }: Sent<Query>) {
  return { ...query, documents: unpacked(documents) };
}

function unpacked(documents: PackedSet | undefined): OrdSet | undefined {
  return documents && unpackSet(documents);
}
