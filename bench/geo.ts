// Places near a point, in process: the index of this package compared with flatbush with geoflatbush, kdbush with
// geokdbush, and SQLite's R*Tree, over a million points clustered around 5,000 towns. All receive the same queries in
// turn. Then the cost of inserts and deletes: of the peers, only SQLite's supports them.
import Flatbush from 'flatbush';
import { around as aroundFlat, within as withinFlat } from 'geoflatbush';
import { around as aroundKd } from 'geokdbush';
import KDBush from 'kdbush';
import { DatabaseSync } from 'node:sqlite';
import { boxAround, type Circle, distanceMeters, PlaceIndex, type Point } from '../src/search/geo/index.ts';
import { seeded } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { figure, type Section } from './support/table.ts';

const POINTS = Math.round(scaled(1_000_000, 10_000));
const TOWNS = 5000;
const QUERIES = Math.round(scaled(1000, 200));
const ROUNDS = 3;
const RADIUS = 50_000;
const CHANGES = Math.round(scaled(100_000, 1000));
const SPREAD = 0.5;

/** How one index is queried; both functions return the number of results. */
interface Contestant {
  readonly name: string;
  readonly buildMs: number;
  best(middle: Point): number | Promise<number>;
  all(middle: Point): number | Promise<number>;
  /** Without order and distances, if that is possible. */
  unordered?(middle: Point): number | Promise<number>;
  /** Changes a place, if that is possible. */
  move?(ord: number, to: Point): void;
}

export async function benchGeo(): Promise<Section[]> {
  const random = seeded(19);
  const points = townPoints(random, POINTS);
  const middles = Array.from({ length: QUERIES }, () => points[Math.floor(random() * points.length)]!);
  const contestants = [quire(points), quire(points, 'geohash'), flatbush(points), kdbush(points), rtree(points)];
  const [best, all, unordered] = [new Map<string, number[]>(), new Map<string, number[]>(),
    new Map<string, number[]>()];
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of contestants) {
      progress(`geo: round ${round + 1} of ${ROUNDS}, ${one.name}`);
      note(best, one.name, await timesOf(middles, one.best));
      note(all, one.name, await timesOf(middles, one.all));
      if (one.unordered !== undefined) note(unordered, one.name, await timesOf(middles, one.unordered));
    }
  }
  const found = await Promise.all(
    contestants.map(async (one) =>
      (await Promise.all(middles.map(one.all))).reduce((sum, count) => sum + count, 0) / QUERIES
    ),
  );
  const moves = contestants.map((one) => moveTime(one, points, seeded(7)));
  return [{
    title: `Places near a point, in process: ${POINTS.toLocaleString('en-US')} points, ${
      QUERIES.toLocaleString('en-US')
    } queries, ${RADIUS / 1000} km`,
    header: ['index', 'best 10, p50 microseconds', 'p99', 'all in order, p50', 'p99', 'all without order, p50', 'p99',
      'found', 'building, s', 'a move, microseconds'],
    rows: contestants.map(({ name, buildMs },
      i) => [name, ...percentiles(best.get(name)!), ...percentiles(all.get(name)!),
      ...percentiles(unordered.get(name) ?? []), figure(found[i]!), figure(buildMs / 1000),
      moves[i] === undefined ? 'built anew' : figure(moves[i])]
    ),
    notes: [
      'Each query is timed alone, and the percentiles are over all rounds. Without an order only the documents ' +
      'are returned, without their distances.',
      'Peers take the Earth for a sphere of 6,371 km, so a few points at the edge differ.',
    ],
  }];
}

function townPoints(random: () => number, count: number): Point[] {
  const towns = Array.from({ length: TOWNS }, () => ({ lat: random() * 140 - 70, lng: random() * 360 - 180 }));
  const off = (): number => (random() + random() + random() - 1.5) * SPREAD;
  return Array.from({ length: count }, () => {
    // Some towns are larger than others.
    const { lat, lng } = towns[Math.floor(random() * random() * TOWNS)]!;
    return { lat: lat + off(), lng: Math.max(-180, Math.min(180, lng + off())) };
  });
}

function quire(points: readonly Point[], algorithm: 'rtree' | 'geohash' = 'rtree'): Contestant {
  const index = PlaceIndex.create();
  const buildMs = timed(() => {
    for (const [ord, point] of points.entries()) index.put(ord, point);
  });
  const circle = (middle: Point): Circle => ({ middle, radiusMeters: RADIUS });
  return {
    name: `quire, ${algorithm} (WebAssembly)`,
    buildMs,
    best: async (middle) => (await index.near(circle(middle), { algorithm, limit: 10 })).length,
    all: async (middle) => (await index.near(circle(middle), { algorithm, limit: points.length })).length,
    unordered: async (middle) => (await index.inCircle(circle(middle), { algorithm })).length,
    move: (ord, to) => index.put(ord, to),
  };
}

function flatbush(points: readonly Point[]): Contestant {
  const index = new Flatbush(points.length);
  const buildMs = timed(() => {
    for (const { lat, lng } of points) index.add(lng, lat, lng, lat);
    index.finish();
  });
  return {
    name: 'flatbush + geoflatbush',
    buildMs,
    best: ({ lat, lng }) => aroundFlat(index, lng, lat, 10, RADIUS / 1000).length,
    all: ({ lat, lng }) => aroundFlat(index, lng, lat, Infinity, RADIUS / 1000).length,
    unordered: ({ lat, lng }) => withinFlat(index, lng, lat, RADIUS / 1000).length,
  };
}

function kdbush(points: readonly Point[]): Contestant {
  const index = new KDBush(points.length);
  const buildMs = timed(() => {
    for (const { lat, lng } of points) index.add(lng, lat);
    index.finish();
  });
  return {
    name: 'kdbush + geokdbush',
    buildMs,
    best: ({ lat, lng }) => aroundKd(index, lng, lat, 10, RADIUS / 1000).length,
    all: ({ lat, lng }) => aroundKd(index, lng, lat, Infinity, RADIUS / 1000).length,
  };
}

/** Its boxes are in single precision, so the places are stored separately. */
function rtree(points: readonly Point[]): Contestant {
  const sql = new DatabaseSync(':memory:');
  sql.exec('CREATE VIRTUAL TABLE places USING rtree(id, west, east, south, north, +lat REAL, +lng REAL)');
  const add = sql.prepare('INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?, ?, ?)');
  const put = (id: number, { lat, lng }: Point): void => void add.run(id, lng, lng, lat, lat, lat, lng);
  const buildMs = timed(() => {
    sql.exec('BEGIN');
    for (const [id, point] of points.entries()) put(id, point);
    sql.exec('COMMIT');
  });
  const inBox = sql.prepare(
    'SELECT id, lat, lng FROM places WHERE west <= ? AND east >= ? AND south <= ? AND north >= ?',
  );
  const near = (middle: Point): number[] => {
    const circle = { middle, radiusMeters: RADIUS };
    const { lat, lng } = boxAround(circle);
    const rows = lng.flatMap(({ from, to }) =>
      inBox.all(to, from, lat.to, lat.from) as { id: number; lat: number; lng: number }[]
    );
    return rows.map((row) => distanceMeters(middle, row)).filter((distance) => distance <= RADIUS).sort((a, b) =>
      a - b
    );
  };
  return {
    name: 'SQLite R*Tree, in memory',
    buildMs,
    best: (middle) => near(middle).slice(0, 10).length,
    all: (middle) => near(middle).length,
    move: put,
  };
}

/** Microseconds for a document that moves to another town. */
function moveTime({ move }: Contestant, points: readonly Point[], random: () => number): number | undefined {
  if (move === undefined) return undefined;
  const pick = (): number => Math.floor(random() * points.length);
  return (timed(() => {
    for (let i = 0; i < CHANGES; i++) move(pick(), points[pick()]!);
  }) / CHANGES) * 1000;
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

/** Milliseconds of a query around each place. */
async function timesOf(middles: readonly Point[],
  query: (middle: Point) => number | Promise<number>): Promise<number[]>
{
  const times: number[] = [];
  for (const middle of middles) {
    const started = performance.now();
    await query(middle);
    times.push(performance.now() - started);
  }
  return times;
}

/** Records the times of a round. */
function note(kept: Map<string, number[]>, name: string, times: readonly number[]): void {
  const known = kept.get(name);
  if (known === undefined) kept.set(name, [...times]);
  else known.push(...times);
}

/** Microseconds. */
function percentiles(times: readonly number[]): [string, string] {
  if (times.length === 0) return ['', ''];
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number): string => figure(sorted[Math.floor(sorted.length * part)]! * 1000);
  return [at(0.5), at(0.99)];
}
