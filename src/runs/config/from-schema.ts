import type { Address } from '../../lib/address.ts';

/** The type that `readBySchema` produces for each text format. */
interface FormatValues {
  'duration': number;
  'duration-or-zero': number;
  'bytes': number;
  'bytes-or-zero': number;
  'address': Address;
  'written-duration': string;
  'written-interval': string;
  'moment': number;
  'cron': string;
  'timezone': string;
  'endpoint': string;
  'group': string;
}

/**
 * The type of the values that a JSON Schema describes, after `readBySchema`. It covers what the schema of the
 * configuration uses: objects whose properties are required or have a default (a test checks this), maps, lists,
 * enumerations, single values of any type, and nullable lists and numbers.
 */
export type FromSchema<S> = S extends { readonly const: infer C } ? C
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly format: infer F extends keyof FormatValues } ? FormatValues[F]
  : S extends { readonly type: readonly ['string', 'object'] } ? string | Readonly<Record<string, unknown>>
  : S extends { readonly type: readonly ['string', 'number', 'boolean'] } ? string | number | boolean
  : S extends { readonly type: readonly ['string', 'number', 'boolean', 'null'] } ? string | number | boolean | null
  : S extends { readonly type: readonly ['number', 'null'] } ? number | null
  : S extends { readonly type: 'string' } ? string
  : S extends { readonly type: 'integer' | 'number' } ? number
  : S extends { readonly type: 'boolean' } ? boolean
  : S extends { readonly type: 'array'; readonly items: infer I } ? readonly FromSchema<I>[]
  : S extends { readonly type: readonly ['array', 'null']; readonly items: infer I } ? readonly FromSchema<I>[] | null
  : S extends { readonly type: 'object'; readonly properties: infer P } ? { readonly [K in keyof P]: FromSchema<P[K]> }
  : S extends { readonly type: 'object'; readonly additionalProperties: infer V }
    ? Readonly<Record<string, FromSchema<V>>>
  : never;
