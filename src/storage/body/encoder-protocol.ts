import type { CompressionOptions } from './codec.ts';

export interface EncoderRequest {
  readonly texts: readonly string[];
  readonly compression: CompressionOptions;
}

/** The concatenated stored forms, where each ends, and the CRC-32 of each text's UTF-8. */
export interface Encoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array;
  readonly crcs: Uint32Array;
}

export type EncoderReply = Encoded | { readonly error: string };
