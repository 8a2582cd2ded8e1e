import type { OrdSet } from '../../lib/ord-set.ts';
import { Pace, spend } from '../../lib/pace.ts';
import { readEach } from '../parts/index.ts';
import type { GeoCell, GeoQuery, NearDocument, NearQuery, PlacesPart, ReadablePlaces } from './contract.ts';
import type { Point } from './distance.ts';
import { geohashFrom } from './geohash.ts';
import { compareNear, nearestOf } from './place-index.ts';
import type { Circle, LatLngBox, Shape } from './shape.ts';

/** Cells that are added up before others may have a turn. */
const STEP = 1024;

/**
 * The places of several indexes with different documents, read as one. They may change between two calls: a search
 * begins in all of them at once. One part is returned as it is.
 */
export function joinPlaces(parts: readonly (PlacesPart | (PlacesPart & ReadablePlaces))[]): ReadablePlaces {
  const [first] = parts;
  return parts.length === 1 && 'cells' in first! ? first : new JoinedPlaces(parts);
}

class JoinedPlaces implements ReadablePlaces {
  readonly #parts: readonly PlacesPart[];

  constructor(parts: readonly PlacesPart[]) {
    this.#parts = parts;
  }

  /** Since then, every part was built. */
  get builtAt(): number {
    return Math.min(...readEach(this.#parts, ({ builtAt }) => builtAt));
  }

  get documents(): number {
    return readEach(this.#parts, ({ documents }) => documents).reduce((sum, own) => sum + own, 0);
  }

  get bytes(): number {
    return readEach(this.#parts, ({ bytes }) => bytes).reduce((sum, own) => sum + own, 0);
  }

  pointsOf(ords: readonly number[]): (Point | undefined)[] {
    const found = readEach(this.#parts, (part) => part.pointsOf(ords));
    return ords.map((_, i) => found.find((points) => points[i] !== undefined)?.[i]);
  }

  async near(circle: Circle, query: NearQuery, signal?: AbortSignal): Promise<NearDocument[]> {
    if (query.distance !== 'geodesic')
      return nearestOf(await this.#each((part) => part.nearest(circle, query, signal)), query.limit);
    const found = await this.#each((part) => part.near(circle, query, signal));
    return found.flat().sort(compareNear).slice(0, query.limit);
  }

  async inCircle(circle: Circle, query: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    return joined(await this.#each((part) => part.inCircle(circle, query, signal)));
  }

  async within(box: LatLngBox, query: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    return joined(await this.#each((part) => part.within(box, query, signal)));
  }

  async inside(shape: Shape, query: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    return joined(await this.#each((part) => part.inside(shape, query, signal)));
  }

  /** All cells are added up, because one may have few documents in each part. */
  async cells(length: number, most: number, documents?: OrdSet | undefined, signal?: AbortSignal): Promise<GeoCell[]> {
    const found = await this.#each((part) => part.allCells(length, documents, signal));
    const counts = new Map<bigint, number>();
    const pace = new Pace();
    let added = 0;
    for (const cells of found) {
      for (const { cell, count } of cells) {
        counts.set(cell, (counts.get(cell) ?? 0) + count);
        if (++added % STEP !== 0) continue;
        spend(STEP);
        await pace.rest();
        signal?.throwIfAborted();
      }
    }
    const sums = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return sums.slice(0, most).map(([cell, count]) => ({ geohash: geohashFrom(cell, length), count }));
  }

  #each<T>(search: (part: PlacesPart) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#parts.map(search));
  }
}

function joined(lists: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  return all;
}
