import { EdgeList, type Edges, type Interval, type LatLngBox } from '../../kernels/geo.ts';
import { EARTH_RADIUS_METERS, type Point } from './distance.ts';

/** Longitude and latitude in degrees, in this order (RFC 7946); further numbers are ignored. */
export type Position = readonly number[];

/** The border, then the holes; rings are open or closed. */
export type PolygonRings = readonly (readonly Position[])[];

/** Polygons as their sides. */
export interface Shape {
  readonly edges: Edges;
  readonly box: LatLngBox;
}

/**
 * The shape of one or several polygons with holes. Sides are straight in longitude and latitude. Longitudes may exceed
 * 180 degrees on either side, so that a polygon can cross the 180th meridian without being cut in two.
 */
export function shapeOf(polygons: readonly PolygonRings[]): Shape {
  const edges = new EdgeList();
  const box = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity };
  let ring = 0;
  for (const [polygon, rings] of polygons.entries()) {
    for (const [i, positions] of rings.entries()) {
      addRing(edges, box, positions, { ring, polygon, isHole: i > 0 });
      ring += 1;
    }
  }
  return {
    edges,
    box: {
      lat: { from: box.south, to: box.north },
      lng: edges.count === 0 ? [] : onGlobe({ from: box.west, to: box.east }),
    },
  };
}

/** Number of corners, the closing ones included. */
export function positionsOf(polygons: readonly PolygonRings[]): number {
  let count = 0;
  for (const rings of polygons) for (const positions of rings) count += positions.length;
  return count;
}

interface Extent {
  west: number;
  east: number;
  south: number;
  north: number;
}

function addRing(edges: EdgeList, box: Extent, positions: readonly Position[],
  part: { readonly ring: number; readonly polygon: number; readonly isHole: boolean }): void
{
  let [x0, y0] = positions.at(-1) as [number, number];
  for (const position of positions) {
    const [x1, y1] = position as [number, number];
    // In a closed ring, the closing side has no length and can be omitted.
    if (x0 !== x1 || y0 !== y1) {
      edges.add(x0, y0, x1, y1, part);
      box.west = Math.min(box.west, x0);
      box.east = Math.max(box.east, x0);
      box.south = Math.min(box.south, y0);
      box.north = Math.max(box.north, y0);
    }
    [x0, y0] = [x1, y1];
  }
}

export type { LatLngBox };

/** All places within a distance of a point. */
export interface Circle {
  readonly middle: Point;
  readonly radiusMeters: number;
}

/** Margin of the box around a circle in degrees, about a metre; rounding errors are far smaller, even near a pole. */
const MARGIN = 1e-5;

/** The smallest box of latitudes and longitudes around a circle, plus the margin. */
export function boxAround({ middle, radiusMeters }: Circle): LatLngBox {
  const angle = radiusMeters / EARTH_RADIUS_METERS;
  const height = toDegrees(angle) + MARGIN;
  const width = halfWidth(middle, angle, height) + MARGIN;
  const lat = { from: middle.lat - height, to: middle.lat + height };
  return { lat, lng: onGlobe({ from: middle.lng - width, to: middle.lng + width }) };
}

/** A box from a western to an eastern border; if west is greater than east, it crosses the 180th meridian. */
export function boxBetween(
  { minLat, maxLat, minLng, maxLng }: { readonly minLat: number; readonly maxLat: number; readonly minLng: number;
    readonly maxLng: number },
): LatLngBox {
  const lat = { from: minLat, to: maxLat };
  if (minLng > maxLng) return { lat, lng: [{ from: minLng, to: 180 }, { from: -180, to: maxLng }] };
  return { lat, lng: onGlobe({ from: minLng, to: maxLng }) };
}

/**
 * Splits longitudes that may exceed 180 degrees on either side into intervals within -180 to 180; the 180th meridian
 * also counts as -180.
 */
function onGlobe({ from, to }: Interval): Interval[] {
  if (to - from >= 360) return [{ from: -180, to: 180 }];
  return [0, -360, 360].flatMap((turn) => {
    const [low, high] = [Math.max(-180, from + turn), Math.min(180, to + turn)];
    return low <= high ? [{ from: low, to: high }] : [];
  });
}

/**
 * Degrees of longitude from the centre to the meridian that touches the circle; all of them if the circle contains a
 * pole.
 */
function halfWidth({ lat }: Point, angle: number, height: number): number {
  if (Math.abs(lat) + height >= 90) return 180;
  return toDegrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos((lat * Math.PI) / 180))));
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
