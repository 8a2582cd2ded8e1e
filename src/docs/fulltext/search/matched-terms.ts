import { Pace } from '../../../lib/pace.ts';
import { isAmong } from '../view/document-classes.ts';
import type { Field, TextIndex } from '../view/text-index.ts';
import type { QueryPlan, Reading, WantedLeaf } from './query-plan.ts';

/**
 * Sets of terms that many documents share: a set is made once for the terms that were added in the same order.
 * Documents of an answer have few different sets, so most of them cost no memory of their own.
 */
export class TermSets {
  readonly none: ReadonlySet<string> = new Set();
  /** By set and further term. */
  readonly #larger = new Map<ReadonlySet<string>, Map<string, ReadonlySet<string>>>();

  /** The set that has these terms, too. */
  with(terms: ReadonlySet<string>, more: readonly string[]): ReadonlySet<string> {
    let all = terms;
    for (const term of more) if (!all.has(term)) all = this.#withOne(all, term);
    return all;
  }

  #withOne(terms: ReadonlySet<string>, term: string): ReadonlySet<string> {
    let larger = this.#larger.get(terms);
    if (larger === undefined) this.#larger.set(terms, larger = new Map());
    let all = larger.get(term);
    if (all === undefined) larger.set(term, all = new Set(terms).add(term));
    return all;
  }
}

/**
 * Up to this many documents, each is looked up in the postings of a word; for more, a search that scores all documents
 * is faster.
 */
const FEW = 256;

/**
 * Which terms of a query each document matches, in the order of the documents, and for each in the order of the query;
 * terms that match only through their neighbours come last. Matches by edits are labelled `query~indexed`. With
 * `fields`, only those are searched. It pauses between the leaves.
 */
export async function matchedTerms(index: TextIndex, { readings }: QueryPlan, ords: readonly number[],
  fields?: readonly Field[]): Promise<readonly ReadonlySet<string>[]>
{
  const sets = new TermSets();
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
