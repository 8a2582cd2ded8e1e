import type { JsonSchema } from '../core/json-schema.ts';
import type { ModelService } from './model-tool.ts';
import type { ModelArguments } from './read-arguments.ts';

/** The arguments that identify a document, with the same descriptions in all tools. */
export const DOCUMENT = {
  collection: { type: 'string', description: 'Collection of the document.' },
  key: { type: 'string', description: 'Key of the document in its collection.' },
  lang: { type: 'string', description: "Language code, such as en; the server's default when absent." },
} as const satisfies Record<string, JsonSchema>;

export const FILTER = {
  type: 'object',
  description: 'Only documents with this metadata, such as {"tags": "news"}; a list of values means any of them.',
} as const satisfies JsonSchema;

export const limitOf = (most: number, usual: number): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  maximum: most,
  default: usual,
});

export const OFFSET = {
  type: 'integer',
  minimum: 0,
  description: 'To continue: the next_offset of the previous response.',
} as const satisfies JsonSchema;

/** Identifies a document. */
export interface DocumentName {
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
}

/** A key may also be the id of a document, `collection|key|lang`, because no key has that form. */
export function documentOf(args: ModelArguments, { defaultLang }: ModelService): DocumentName {
  const [collection, key, lang] = args.text('key').split('|');
  if (key !== undefined && lang !== undefined) return { collection: collection!, key, lang };
  return { collection: args.text('collection'), key: args.text('key'), lang: args.get<string>('lang') ?? defaultLang };
}

/** Converts Unix seconds to the form in which people and models write a time. */
export function momentOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
