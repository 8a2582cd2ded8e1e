import { EdgeList } from '../../kernels/geo.ts';
import { type LatLngBox, onGlobe } from './box.ts';

/** Longitude and latitude in degrees, in this order (RFC 7946); further numbers are ignored. */
export type Position = readonly number[];

/** The border, then the holes; rings are open or closed. */
export type PolygonRings = readonly (readonly Position[])[];

/** Polygons as their sides. */
export interface Shape {
  readonly edges: EdgeList;
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
