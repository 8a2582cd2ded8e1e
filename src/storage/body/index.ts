export { BodyCodec, type EncodedBody } from './body-codec.ts';
export { BodyLost, type BodyObjects, BodyUnavailable, type PlacedBody } from './body-objects.ts';
export { type CompressionOptions, DEFAULT_COMPRESSION } from './codec.ts';
export { applyDelta, type DeltaHead, deltaHead, encodeDelta } from './delta.ts';
export { corrupt } from './record.ts';
export { type BodyReference, isReference, readReference, writeReference } from './reference.ts';
