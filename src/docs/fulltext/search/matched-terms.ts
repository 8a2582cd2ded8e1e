import { Pace } from '../../../lib/pace.ts';
import { isAmong } from '../view/document-classes.ts';
import type { Field, TextIndex } from '../view/text-index.ts';
import type { QueryPlan, Reading, WantedLeaf } from './query-plan.ts';

/** Of so many documents, each is looked up in the postings of a word; of more, a search that scores all documents takes less time. */
const FEW = 256;

/**
 * Which terms of a query each of some documents matches, in the order of the query, and those by whose neighbours
 * alone at the end; what was found by edits is called `query~indexed` (decision D-85). Where `fields` are given, nothing else
 * is looked at. The index answers for one leaf after the other, with rests between.
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

/** What a leaf is called for each of some documents; nothing where it does not match. */
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
