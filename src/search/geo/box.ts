import type { Interval, LatLngBox } from '../../kernels/geo.ts';
import { EARTH_RADIUS_METERS, type Point } from './distance.ts';

export type { Interval, LatLngBox };

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
export function onGlobe({ from, to }: Interval): Interval[] {
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
