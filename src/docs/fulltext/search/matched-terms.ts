import { Pace } from '../../../lib/pace.ts';
import { isAmong } from '../view/document-classes.ts';
import type { Field, TextIndex } from '../view/text-index.ts';
import type { QueryPlan, Reading, WantedLeaf } from './query-plan.ts';

/** The terms of documents that matched a plan before. */
interface KnownTerms {
  /** The revision of the index for which they hold. */
  readonly revision: number;
  readonly byOrd: Map<number, ReadonlySet<string>>;
  /** Sets that documents share, by their terms. */
  readonly sets: Map<string, ReadonlySet<string>>;
}

/** By index and plan: `QueryPlans` reuses plans, and limits their bytes with those of these terms. */
const known = new WeakMap<TextIndex, WeakMap<QueryPlan, KnownTerms>>();

/** Number of documents of a plan whose terms are remembered. */
const REMEMBERED = 256;

/** Up to this many documents, each is looked up in the postings of a word; for more, a search that scores all documents is faster. */
const FEW = 256;

/**
 * Which terms of a query each document matches, in the order of the query; terms that match only through their neighbours come last.
 * Matches by edits are labelled `query~indexed` (decision D-85). With `fields`, only those are searched. Without `fields`, the terms of
 * documents are remembered until the index changes. Callers must not change the sets.
 */
export async function matchedTerms(index: TextIndex, plan: QueryPlan, ords: readonly number[], fields?: readonly Field[]): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  if (fields !== undefined) return findTerms(index, plan, ords, fields);
  const former = knownTerms(index, plan);
  const unknown = ords.filter((ord) => !former.byOrd.has(ord));
  const found = unknown.length === 0 ? undefined : await findTerms(index, plan, unknown);
  const terms = new Map(ords.map((ord) => [ord, former.byOrd.get(ord) ?? found!.get(ord)!]));
  // The index may have changed between the leaves.
  if (found !== undefined && index.revision === former.revision) remember(former, found);
  return terms;
}

function knownTerms(index: TextIndex, plan: QueryPlan): KnownTerms {
  let plans = known.get(index);
  if (plans === undefined) known.set(index, plans = new WeakMap());
  let terms = plans.get(plan);
  if (terms?.revision !== index.revision) plans.set(plan, terms = { revision: index.revision, byOrd: new Map(), sets: new Map() });
  return terms;
}

function remember({ byOrd, sets }: KnownTerms, found: ReadonlyMap<number, ReadonlySet<string>>): void {
  for (const [ord, terms] of found) {
    if (byOrd.size >= REMEMBERED) return;
    const name = [...terms].join('\0');
    const shared = sets.get(name) ?? terms;
    sets.set(name, shared);
    byOrd.set(ord, shared);
  }
}

/** Evaluates the leaves one after the other, with pauses between them. */
async function findTerms(index: TextIndex, { readings }: QueryPlan, ords: readonly number[], fields?: readonly Field[]): Promise<Map<number, Set<string>>> {
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
