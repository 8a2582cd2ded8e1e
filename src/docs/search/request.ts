import { ServiceError } from '../../errors/index.ts';
import type { Circle } from '../../search/geo/index.ts';

/**
 * The requested number of results: `limit` and `topK` are two names for it. Throws `invalid_argument` when they differ.
 */
export function limitOf(
  { limit, topK }: { readonly limit?: number | undefined; readonly topK?: number | undefined },
): number | undefined {
  if (limit !== undefined && topK !== undefined && limit !== topK) {
    throw new ServiceError('invalid_argument',
      `limit and topK are two names of one number, got limit ${limit} and topK ${topK}`);
  }
  return limit ?? topK;
}

/** A circle as requests define it. */
export interface CircleInput {
  readonly lat: number;
  readonly lng: number;
  readonly radiusMeters: number;
}

export function circleOf({ lat, lng, radiusMeters }: CircleInput): Circle {
  return { middle: { lat, lng }, radiusMeters };
}
