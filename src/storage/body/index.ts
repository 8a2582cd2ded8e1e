export { BodyCodec } from './body-codec.ts';
export { DEFAULT_COMPRESSION, type CompressionOptions } from './codec.ts';
