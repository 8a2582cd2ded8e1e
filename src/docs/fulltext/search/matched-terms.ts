import { Pace } from '../../../lib/pace.ts';
import { isAmong } from '../view/document-classes.ts';
import type { Field, TextIndex } from '../view/text-index.ts';
import type { QueryPlan, Reading, WantedLeaf } from './query-plan.ts';
import { TermSets } from './term-sets.ts';

/** The terms of documents that matched a plan before. */
interface KnownTerms {
  /** The revision of the index for which they hold. */
  readonly revision: number;
  readonly byOrd: Map<number, ReadonlySet<string>>;
  readonly sets: TermSets;
}

/** By index and plan: `QueryPlans` reuses plans, and limits their bytes with those of these terms. */
const known = new WeakMap<TextIndex, WeakMap<QueryPlan, KnownTerms>>();

/** Number of documents of a plan whose terms are remembered. */
const REMEMBERED = 256;

/**
 * Up to this many documents, each is looked up in the postings of a word; for more, a search that scores all documents
 * is faster.
 */
const FEW = 256;

/**
 * Which terms of a query each document matches, in the order of the documents, and for each in the order of the query;
 * terms that match only through their neighbours come last. Matches by edits are labelled `query~indexed`. With
 * `fields`, only those are searched. Without `fields`, the terms of documents are remembered until the index changes.
 * Callers must not change the sets.
 */
export async function matchedTerms(index: TextIndex, plan: QueryPlan, ords: readonly number[],
  fields?: readonly Field[]): Promise<readonly ReadonlySet<string>[]>
{
  if (fields !== undefined) return findTerms(index, plan, ords, { fields, sets: new TermSets() });
  const former = knownTerms(index, plan);
  const { byOrd } = former;
  const unknown = byOrd.size === 0 ? ords : ords.filter((ord) => !byOrd.has(ord));
  if (unknown.length === 0) return ords.map((ord) => byOrd.get(ord)!);
  const found = await findTerms(index, plan, unknown, { sets: former.sets });
  // The index may have changed between the leaves.
  if (index.revision === former.revision) remember(former, unknown, found);
  if (unknown.length === ords.length) return found;
  let next = 0;
  return ords.map((ord) => (ord === unknown[next] ? found[next++]! : byOrd.get(ord)!));
}

function knownTerms(index: TextIndex, plan: QueryPlan): KnownTerms {
  let plans = known.get(index);
  if (plans === undefined) known.set(index, plans = new WeakMap());
  let terms = plans.get(plan);
  if (terms?.revision !== index.revision)
    plans.set(plan, terms = { revision: index.revision, byOrd: new Map(), sets: new TermSets() });
  return terms;
}

function remember({ byOrd }: KnownTerms, ords: readonly number[], found: readonly ReadonlySet<string>[]): void {
  for (const [i, ord] of ords.entries()) {
    if (byOrd.size >= REMEMBERED) return;
    byOrd.set(ord, found[i]!);
  }
}

interface Finding {
  readonly fields?: readonly Field[];
  readonly sets: TermSets;
}

/** Evaluates the leaves one after the other, with pauses between them. */
async function findTerms(index: TextIndex, { readings }: QueryPlan, ords: readonly number[],
  { fields, sets }: Finding): Promise<readonly ReadonlySet<string>[]>
{
  const pace = new Pace();
  const found = ords.map(() => sets.none);
  for (const reading of readings) {
    const own = placesOf(index, reading, ords);
    const read = own.length === ords.length ? ords : own.map((place) => ords[place]!);
    for (const leaf of own.length === 0 ? [] : reading.wanted) {
      addEach(sets, found, own, namesByOrd(index, reading, leaf, { ords: read, fields }));
      if (pace.isDue) await pace.rest();
    }
  }
  return found;
}

/** The places of the documents that a reading is for. */
function placesOf(index: TextIndex, { classes }: Reading, ords: readonly number[]): number[] {
  const places: number[] = [];
  for (let place = 0; place < ords.length; place++)
    if (isAmong(index.classOf(ords[place]!), classes)) places.push(place);
  return places;
}

/** Adds names to the terms at some places. */
function addEach(sets: TermSets, found: ReadonlySet<string>[], places: readonly number[],
  names: readonly (readonly string[])[]): void
{
  for (let i = 0; i < places.length; i++) found[places[i]!] = sets.with(found[places[i]!]!, names[i]!);
}

const NO_LABELS: readonly string[] = [];

/** The labels of a leaf for each document; empty if the document does not match. */
function namesByOrd(index: TextIndex, { classes, analyzer }: Reading, { node, labels }: WantedLeaf,
  { ords, fields }: { readonly ords: readonly number[];
    readonly fields: readonly Field[] | undefined }): (readonly string[])[]
{
  if (node.kind === 'term' && node.fuzzy) {
    return index.matchesByEdits(node, analyzer, ords, fields).map(({ itself, forms }) =>
      labels.flatMap((label) => [...(itself ? [label] : []), ...forms.map((form) => `${label}~${form}`)])
    );
  }
  if (node.kind === 'term' && fields === undefined && ords.length <= FEW) {
    return index.matchesExactly(node.form, analyzer, ords).map((isFound) => (isFound ? labels : NO_LABELS));
  }
  const { looked } = index.search({
    readings: [{ classes, root: node, analyzer }],
    algorithm: 'tfidf',
    limit: 0,
    look: ords,
    ...(fields && { fields }),
  });
  return ords.map((_, i) => (looked[i] === undefined ? NO_LABELS : labels));
}
