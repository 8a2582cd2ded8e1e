import type { EmbeddingRole } from './provider.ts';

export interface RolePrefixes {
  /** Becomes part of the variant: vectors made with other prefixes are not comparable. */
  readonly name: string;
  readonly document: string;
  readonly query: string;
}

/**
 * Models that were trained with instructions before each text, and that are considerably worse without them. Names have
 * several spellings: `nomic-embed-text:latest` and `nomic-ai/nomic-embed-text-v1.5`; a model in a folder is identified
 * by the folder's name. Sources: the model cards of nomic-ai/nomic-embed-text-v1.5 and intfloat/e5-base-v2 (its
 * instruction-tuned siblings need other prefixes).
 */
const TRAINED: readonly { readonly model: RegExp; readonly prefixes: RolePrefixes }[] = [{
  model: /nomic-embed-text/i,
  prefixes: { name: 'nomic', document: 'search_document: ', query: 'search_query: ' },
}, {
  model: /(?:^|[/\\_-])e5-(?:small|base|large)(?!.*instruct)/i,
  prefixes: { name: 'e5', document: 'passage: ', query: 'query: ' },
}];

/** Undefined for a model that needs no prefixes. */
export function rolePrefixes(model: string): RolePrefixes | undefined {
  return TRAINED.find((each) => each.model.test(model))?.prefixes;
}

/**
 * The texts in the form that the model expects; a lone surrogate becomes U+FFFD, because JSON parsers and tokenizers
 * refuse it.
 */
export function withPrefix(texts: readonly string[], role: EmbeddingRole,
  prefixes: RolePrefixes | undefined): string[]
{
  const prefix = prefixes?.[role] ?? '';
  return texts.map((text) => prefix + text.toWellFormed());
}

/** A text for everything that makes vectors of the same model incomparable; `plain` if there is nothing. */
export function variantOf(parts: readonly string[], prefixes: RolePrefixes | undefined): string {
  const all = prefixes === undefined ? parts : [...parts, `prefix=${prefixes.name}`];
  return all.length === 0 ? 'plain' : all.join(',');
}
