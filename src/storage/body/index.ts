export { BodyCodec, type EncodedBody } from './body-codec.ts';
export { BodyLost, BodyUnavailable, type BodyObjects, type PlacedBody } from './body-objects.ts';
export { DEFAULT_COMPRESSION, type CompressionOptions } from './codec.ts';
export { applyDelta, deltaHead, encodeDelta, type DeltaHead } from './delta.ts';
export { corrupt } from './record.ts';
export { isReference, readReference, writeReference, type BodyReference } from './reference.ts';
