import { Pace } from '../../../lib/pace.ts';
import { isAmong } from '../view/document-classes.ts';
import type { Field, TextIndex } from '../view/text-index.ts';
import type { QueryPlan, Reading, WantedLeaf } from './query-plan.ts';

/** Up to this many documents, each is looked up in the postings of a word; for more, a search that scores all documents is faster. */
const FEW = 256;

/**
 * Which terms of a query each document matches, in the order of the query; terms that match only through their neighbours come last.
 * Matches by edits are labelled `query~indexed` (decision D-85). With `fields`, only those are searched. The leaves are evaluated one after
 * the other, with pauses between them.
 */
export async function matchedTerms(index: TextIndex, { readings }: QueryPlan, ords: readonly number[], fields?: readonly Field[]): Promise<Map<number, Set<string>>> {
  const pace = new Pace();
  const terms = new Map(ords.map((ord) => [ord, new Set<string>()]));
  const classes = new Map(ords.map((ord) => [ord, index.classOf(ord)]));
  for (const reading of readings) {
    const own = ords.filter((ord) => isAmong(classes.get(ord), reading.classes));
    for (const leaf of own.length === 0 ? [] : reading.wanted) {
      const names = namesByOrd(index, reading, leaf, { ords: own, fields });
      for (const [i, ord] of own.entries()) for (const name of names[i]!) terms.get(ord)!.add(name);
      if (pace.isDue) await pace.rest();
    }
  }
  return terms;
}

/** The labels of a leaf for each document; empty if the document does not match. */
function namesByOrd(index: TextIndex, { classes, analyzer }: Reading, { node, labels }: WantedLeaf, { ords, fields }: { readonly ords: readonly number[]; readonly fields: readonly Field[] | undefined }): (readonly string[])[] {
  if (node.kind === 'term' && node.fuzzy) {
    return index.matchesByEdits(node, analyzer, ords, fields)
      .map(({ itself, forms }) => labels.flatMap((label) => [...(itself ? [label] : []), ...forms.map((form) => `${label}~${form}`)]));
  }
  if (node.kind === 'term' && fields === undefined && ords.length <= FEW) {
    const found = index.matchesExactly(node.form, analyzer, ords);
    return ords.map((_, i) => (found[i]! ? labels : []));
  }
  const { looked } = index.search({ readings: [{ classes, root: node, analyzer }], algorithm: 'tfidf', limit: 0, look: ords, ...(fields && { fields }) });
  return ords.map((_, i) => (looked[i] === undefined ? [] : labels));
}
