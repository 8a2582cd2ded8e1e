import type { Edge } from '../../kernels/geo.ts';
import { onGlobe, type LatLngBox } from './box.ts';

/** Longitude and latitude in degrees, in this order (RFC 7946); further numbers are ignored. */
export type Position = readonly number[];

/** The border, then the holes; rings are open or closed. */
export type PolygonRings = readonly (readonly Position[])[];

/** Polygons as their sides. */
export interface Shape {
  readonly edges: readonly Edge[];
  readonly box: LatLngBox;
}

/**
 * The shape of one or several polygons with holes. Sides are straight in longitude and latitude. Longitudes may exceed 180 degrees on
 * either side, so that a polygon can cross the 180th meridian without being cut in two.
 */
export function shapeOf(polygons: readonly PolygonRings[]): Shape {
  const edges: Edge[] = [];
  let ring = 0;
  for (const [polygon, rings] of polygons.entries()) {
    for (const [i, positions] of rings.entries()) {
      addRing(edges, positions, { ring, polygon, isHole: i > 0 });
      ring += 1;
    }
  }
  return { edges, box: boxOf(edges) };
}

function addRing(edges: Edge[], positions: readonly Position[], part: Pick<Edge, 'ring' | 'polygon' | 'isHole'>): void {
  for (const [i, to] of positions.entries()) {
    const from = positions.at(i - 1)!;
    const [x0, y0] = from as [number, number];
    const [x1, y1] = to as [number, number];
    // In a closed ring, the closing side has no length and can be omitted.
    if (x0 !== x1 || y0 !== y1) edges.push({ x0, y0, x1, y1, ...part });
  }
}

function boxOf(edges: readonly Edge[]): LatLngBox {
  const lat = { from: Infinity, to: -Infinity };
  const lng = { from: Infinity, to: -Infinity };
  for (const { x0, y0 } of edges) {
    lat.from = Math.min(lat.from, y0);
    lat.to = Math.max(lat.to, y0);
    lng.from = Math.min(lng.from, x0);
    lng.to = Math.max(lng.to, x0);
  }
  return { lat, lng: edges.length === 0 ? [] : onGlobe(lng) };
}
