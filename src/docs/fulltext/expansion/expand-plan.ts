import { type Neighbours, termOf, type TermRules } from '../../../search/cooccurrence/index.ts';
import type { QueryMode, QueryNode, TermNode } from '../../../text/query/index.ts';
import type { QueryPlan, Reading, WantedLeaf } from '../search/query-plan.ts';
import type { WeightedTerm } from '../view/text-index.ts';

/** Factor of a neighbour's score, in addition to its weight. */
const EXPANSION_WEIGHT = 0.35;
/** Maximum number of query terms that get neighbours: each adds five more terms to the search. */
const EXPANDED_TERMS = 32;
/** A neighbour that occurs with its term hardly more often than by chance would add nothing to a score. */
const LEAST_WEIGHT = 1e-5;

/** Query modes of separate words: in the other modes, quoted text and patterns are matched exactly as written. */
const MODES: ReadonlySet<QueryMode> = new Set<QueryMode>(['simple', 'boolean', 'expression']);

/** Whether the terms of a plan are expanded. */
export function isExpanded({ mode }: QueryPlan): boolean {
  return MODES.has(mode);
}

/**
 * A reading whose terms are expanded by their neighbours. Only terms are expanded that are not required or excluded,
 * nor part of a node that is: what a query strictly requires stays required. Phrases, patterns and synonyms have no
 * neighbours.
 */
export function expandReading(reading: Reading, neighbours: Neighbours, rules: TermRules): Reading {
  const toTerm = termOf(rules);
  const terms = optionalTerms(reading.root).filter((node) => reading.own.has(node)).slice(0, EXPANDED_TERMS);
  const known = new Set([...reading.own].map(({ form }) => toTerm(form)));
  const expansions = new Map<TermNode, readonly WeightedTerm[]>();
  const wanted: WantedLeaf[] = [...reading.wanted];
  for (const node of terms) {
    const found = neighboursOf(node, neighbours, toTerm);
    if (found.length > 0) expansions.set(node, found);
    for (const { form } of found) {
      // A neighbour is labelled by its own name, because the document need not have the term of the query. A term that
      // is in the query, or that an earlier term has added, already has a label.
      if (known.size < known.add(toTerm(form)).size)
        wanted.push({ node: { kind: 'term', form, start: node.start, end: node.end }, labels: [form] });
    }
  }
  return { ...reading, wanted, expansions };
}

/** The weights are for a term that occurs once in the query. */
function neighboursOf({ form }: TermNode, neighbours: Neighbours,
  toTerm: (form: string) => string | undefined): WeightedTerm[]
{
  const term = toTerm(form);
  if (term === undefined) return [];
  // The list of stop words may have grown since the training.
  return neighbours.of(term).map((neighbour) => ({ form: neighbour.form, weight: EXPANSION_WEIGHT * neighbour.weight }))
    .filter(({ form: other, weight }) => weight >= LEAST_WEIGHT && toTerm(other) !== undefined);
}

function optionalTerms(root: QueryNode | undefined): TermNode[] {
  if (root?.kind === 'term') return [root];
  return root?.kind === 'group' ? root.optional.flatMap(optionalTerms) : [];
}
