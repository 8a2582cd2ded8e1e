import type { InvertedIndex, Reranking } from '../../../search/inverted/index.ts';
import { wantedNodes } from '../../../text/query/index.ts';
import { exactForms, type Forms, formsByEdits, type KnownSpellings } from './edits.ts';
import type { Field, TextReading } from './text-index.ts';
import { fieldByName, OTHER } from './to-indexed.ts';

/** Weights of the fields unless a request says otherwise (contract, `fieldWeights`). */
const DEFAULT_WEIGHTS = {
  'content': 1,
  'meta.title': 3,
  'meta.tags': 2,
  'meta.category': 2,
  'meta.description': 1.5,
  'headings': 2,
  'key': 0.5,
} as const;

/**
 * The weights for `tfidf`, where metadata without a field of their own count as much as the content. What a word counts
 * grows slowly there, so that a heading, whose words the content has, too, counts enough with a weight of 1.
 */
const TFIDF_WEIGHTS: ReadonlyMap<number, number> = new Map(
  [...toWeights({ ...DEFAULT_WEIGHTS, headings: 1 }), [OTHER, 1]] as [number, number][],
);

/** Weights for `tfidf` if only some fields are searched. */
export function tfidfWeights(fields: readonly Field[] | undefined): ReadonlyMap<Field, number> {
  return fields === undefined
    ? TFIDF_WEIGHTS
    : new Map(fields.map((field) => [field, typeof field === 'number' ? TFIDF_WEIGHTS.get(field)! : 1]));
}

/** The weights if a request has none. */
export const usualWeights: ReadonlyMap<Field, number> = toWeights();

/**
 * Fields that are not listed do not count. A field with two spellings, `title` and `meta.title`, gets the larger of its
 * weights.
 */
export function toWeights(given: Readonly<Record<string, number>> = DEFAULT_WEIGHTS): ReadonlyMap<Field, number> {
  const weights = new Map<Field, number>();
  for (const [name, weight] of Object.entries(given)) {
    const field = fieldByName(name);
    weights.set(field, Math.max(weight, weights.get(field) ?? 0));
  }
  return weights;
}

/**
 * The words that reranking searches for, by the readings of a query for classes that have documents. `spellings` are
 * those of the query, if it was translated for the same state of the index.
 */
export function toRerankings(index: Forms & Pick<InvertedIndex, 'classes' | 'form'>, readings: readonly TextReading[],
  spellings: KnownSpellings = new Map()): Reranking[]
{
  const present = index.classes;
  return readings.filter(({ classes, words = [] }) => (classes & present) !== 0 && words.length > 0).map((reading) => ({
    classes: reading.classes,
    words: reading.words!.map(({ form, ...place }) => ({ ...place, ...formsMeant(index, reading, form, spellings) })),
  }));
}

/** The forms of a word; of a misspelt one, those of the likeliest word that was meant. */
function formsMeant(index: Forms & Pick<InvertedIndex, 'form'>, { root, analyzer }: TextReading, form: string,
  known: KnownSpellings): { readonly forms: readonly number[]; readonly exact: number | undefined }
{
  const node = wantedNodes(root).find((leaf) => leaf.kind === 'term' && leaf.form === form && leaf.keepsFirst);
  const spellings = node?.kind === 'term' ? known.get(node) ?? formsByEdits(index, analyzer, node) : undefined;
  const meant = spellings?.isMisspelt === true ? spellings.near[0]?.id : undefined;
  const forms = exactForms(index, analyzer, meant === undefined ? form : index.textOf(meant));
  return { forms: [...new Set(forms)], exact: meant ?? index.form(form) };
}
