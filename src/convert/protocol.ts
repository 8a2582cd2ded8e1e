import type { Conversion, ConversionFault } from './contract.ts';

/** A worker's conversion job; the bytes are transferred. */
export interface ConvertRequest {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly contentType: string | undefined;
  readonly textOnly: boolean | undefined;
  readonly mainContent: boolean | undefined;
  readonly baseUrl: string | undefined;
  readonly maxOutput: number;
}

export type ConvertAnswer = { readonly conversion: Conversion } | { readonly fault: ConversionFault;
  readonly message: string };
