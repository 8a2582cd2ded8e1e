export { BodyCodec, type EncodedBody } from './body-codec.ts';
export { DEFAULT_COMPRESSION, type CompressionOptions } from './codec.ts';
export { applyDelta, deltaHead, encodeDelta, type DeltaHead } from './delta.ts';
