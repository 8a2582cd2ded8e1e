import { type Neighbours, termOf, type TermRules } from '../../../search/cooccurrence/index.ts';
import type { QueryMode, QueryNode, TermNode } from '../../../text/query/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { FullText } from '../fulltext.ts';
import { isStemming, type QueryPlan, type Reading, type WantedLeaf } from '../search/query-plan.ts';
import { CODE_CLASSES } from '../view/document-classes.ts';
import type { WeightedTerm } from '../view/text-index.ts';
import { NeighbourModels, type NeighbourModelsOptions } from './neighbour-models.ts';

/** A query that was read, by any kind of search. */
export interface ReadQuery {
  readonly collection: string;
  readonly plan: QueryPlan;
}

/** The part of `pmisparse` that runs before scoring. */
export interface Expansion {
  /**
   * The plan with the neighbours of its terms. If the query is read in several languages, the neighbours are learned
   * from the documents of each. Throws `index_loading` while they are learned for the first time, if that takes long.
   */
  expand(query: ReadQuery, signal: AbortSignal): Promise<QueryPlan>;
  /** Resolves when the models include all earlier writes. */
  settled(): Promise<void>;
  /** Discards all models; the object remains usable. */
  stop(): Promise<void>;
}

export function createExpansion(environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'codec' | 'clock' | 'log'>,
  { stopWordsOf }: Pick<FullText, 'stopWordsOf'>, options: NeighbourModelsOptions = {}): Expansion
{
  const models = new NeighbourModels(environment, options);
  return {
    async expand({ collection, plan }, signal) {
      if (!isExpanded(plan)) return plan;
      const stemming = isStemming(plan);
      const isMixed = plan.readings.filter(({ classes }) => classes !== CODE_CLASSES).length > 1;
      const readings = await Promise.all(plan.readings.map(async (reading) => {
        const rules = {
          lang: reading.lang,
          stemming,
          stopWords: stopWordsOf(collection, reading.lang),
          ...(isMixed && { classes: reading.classes }),
        };
        return expandReading(reading, await models.of(collection, rules, signal), rules);
      }));
      return { ...plan, readings };
    },
    settled: () => models.settled(),
    stop: () => models.stop(),
  };
}

/** Factor of a neighbour's score, in addition to its weight. */
const EXPANSION_WEIGHT = 0.35;
/** Maximum number of query terms that get neighbours: each adds five more terms to the search. */
const EXPANDED_TERMS = 32;
/** A neighbour that occurs with its term hardly more often than by chance would add nothing to a score. */
const LEAST_WEIGHT = 1e-5;

/** Query modes of separate words: in the other modes, quoted text and patterns are matched exactly as written. */
const MODES: ReadonlySet<QueryMode> = new Set<QueryMode>(['simple', 'boolean', 'expression']);

/** Whether the terms of a plan are expanded. */
function isExpanded({ mode }: QueryPlan): boolean {
  return MODES.has(mode);
}

/**
 * A reading whose terms are expanded by their neighbours. Only terms are expanded that are not required or excluded,
 * nor part of a node that is: what a query strictly requires stays required. Phrases, patterns and synonyms have no
 * neighbours.
 */
function expandReading(reading: Reading, neighbours: Neighbours, rules: TermRules): Reading {
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
