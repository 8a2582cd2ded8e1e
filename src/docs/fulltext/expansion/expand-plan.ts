import { type Neighbours, termOf, type TermRules } from '../../../search/cooccurrence/index.ts';
import type { QueryMode, QueryNode, TermNode } from '../../../text/query/index.ts';
import type { QueryPlan, WantedLeaf } from '../search/query-plan.ts';
import type { WeightedTerm } from '../view/text-index.ts';

/** What a neighbour's score counts, before its weight (decision D-84). */
const EXPANSION_WEIGHT = 0.35;
/** Terms of a query that get neighbours: each is five more to look for. */
const EXPANDED_TERMS = 32;
/** A neighbour that hardly stands with its term more often than by chance would add nothing to a score. */
const LEAST_WEIGHT = 1e-5;

/** Modes of words on their own: in the others, what stands in quotes or has a pattern is meant as it stands. */
const MODES: ReadonlySet<QueryMode> = new Set<QueryMode>(['simple', 'boolean', 'expression']);

/**
 * A plan whose terms bring their neighbours along. Those terms expand that are not required or excluded, nor part of
 * something that is: what a query asks for beyond doubt remains what has to be there. Phrases, patterns and
 * synonyms have no neighbours.
 */
export function expandPlan(plan: QueryPlan, neighbours: Neighbours, rules: TermRules): QueryPlan {
  if (!MODES.has(plan.mode)) return plan;
  const toTerm = termOf(rules);
  const own = ownTerms(plan.wanted);
  const terms = optionalTerms(plan.root).filter((node) => own.has(node)).slice(0, EXPANDED_TERMS);
  const known = new Set([...own].map(({ form }) => toTerm(form)));
  const expansions = new Map<TermNode, readonly WeightedTerm[]>();
  const wanted: WantedLeaf[] = [...plan.wanted];
  for (const node of terms) {
    const found = neighboursOf(node, neighbours, toTerm);
    if (found.length > 0) expansions.set(node, found);
    for (const { form } of found) {
      // What the query names itself is called by that name.
      if (!known.has(toTerm(form))) wanted.push({ node: { kind: 'term', form, start: node.start, end: node.end }, labels: [node.form] });
    }
  }
  return { ...plan, wanted, expansions };
}

function neighboursOf({ form }: TermNode, neighbours: Neighbours, toTerm: (form: string) => string | undefined): WeightedTerm[] {
  const term = toTerm(form);
  if (term === undefined) return [];
  return neighbours.of(term).map((neighbour) => ({ form: neighbour.form, weight: EXPANSION_WEIGHT * neighbour.weight }))
    // The list of stop words may have grown since the training.
    .filter(({ form: other, weight }) => weight >= LEAST_WEIGHT && toTerm(other) !== undefined);
}

/** Terms that stand in the query, not synonyms of them, which are called by another name. */
function ownTerms(wanted: readonly WantedLeaf[]): Set<TermNode> {
  return new Set(wanted.flatMap(({ node, labels }) => (node.kind === 'term' && labels[0] === node.form ? [node] : [])));
}

function optionalTerms(root: QueryNode | undefined): TermNode[] {
  if (root?.kind === 'term') return [root];
  return root?.kind === 'group' ? root.optional.flatMap(optionalTerms) : [];
}
