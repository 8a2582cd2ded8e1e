import type { EmbeddingRole } from './provider.ts';

export interface RolePrefixes {
  /** Goes into the variant: vectors made with other prefixes can't be compared. */
  readonly name: string;
  readonly document: string;
  readonly query: string;
}

/**
 * Models that were trained with instructions before each text, and are markedly worse without them.
 * Names come in several spellings: `nomic-embed-text:latest` and `nomic-ai/nomic-embed-text-v1.5`;
 * the folder of a model counts by its name. Sources: the model cards of nomic-ai/nomic-embed-text-v1.5
 * and intfloat/e5-base-v2 (its instruction-tuned siblings want something else).
 */
const TRAINED: readonly { readonly model: RegExp; readonly prefixes: RolePrefixes }[] = [
  { model: /nomic-embed-text/i, prefixes: { name: 'nomic', document: 'search_document: ', query: 'search_query: ' } },
  { model: /(?:^|[/\\_-])e5-(?:small|base|large)(?!.*instruct)/i, prefixes: { name: 'e5', document: 'passage: ', query: 'query: ' } },
];

/** Undefined for a model that takes texts as they are. */
export function rolePrefixes(model: string): RolePrefixes | undefined {
  return TRAINED.find((each) => each.model.test(model))?.prefixes;
}

/** The texts as the model wants them; a lone surrogate becomes U+FFFD, since JSON parsers and tokenizers refuse it. */
export function withPrefix(texts: readonly string[], role: EmbeddingRole, prefixes: RolePrefixes | undefined): string[] {
  const prefix = prefixes?.[role] ?? '';
  return texts.map((text) => prefix + text.toWellFormed());
}
