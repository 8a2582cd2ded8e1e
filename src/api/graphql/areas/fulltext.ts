import type { AggregateDocumentsRequest, AggregateDocumentsResponse,
  SearchFullTextResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import type { AggregateInput, FtsInput } from '../../../../generated/graphql/resolvers.ts';
import { selects } from '../reads.ts';
import { defineArea } from './area.ts';
import { given, numbers, withFilters, withWordOptions } from './input.ts';
import { bodiesOf, inSteps, withDocument } from './present.ts';

const BODY = ['results', 'document', 'contentMd'];
const VECTORS = ['results', 'document', 'vectors'];

export const fulltext = defineArea('fulltext', {
  Query: {
    fts: (_, { input }, { read, invoke }, info) => {
      const includeContent = selects(info, BODY);
      const includeVectors = selects(info, VECTORS);
      return read(info, async () => {
        const request = { ...toInput(input), includeContent, includeVectors };
        return presentFound((await invoke('searchFullText', request)).value);
      }, {
        variant: `${includeContent} ${includeVectors}`,
        bodies: ({ results }) => bodiesOf(results.map(({ document }) => document)),
      });
    },
    autocomplete: (_, args, { read, invoke }, info) =>
      read(info, async () => (await invoke('autocomplete', args)).value),
    aggregateDocuments: (_, { input }, { read, invoke }, info) =>
      read(info, async () => presentCounts((await invoke('aggregateDocuments', toCounted(input))).value)),
  },
  FTSResponse: {
    results: ({ results }) => inSteps(results),
  },
});

function toInput({ fieldWeights, ...input }: FtsInput) {
  return {
    ...withWordOptions(withFilters(input)),
    fieldWeights: numbers(fieldWeights),
  };
}

/** The operation checks the names of orders, fields and intervals. */
function toCounted({ geohash, facets, histograms, ...input }: AggregateInput) {
  return {
    ...withFilters(input),
    geohash: geohash && given(geohash),
    facets: facets?.map((facet) => given(facet) as CountedFacet),
    histograms: histograms?.map((histogram) => given(histogram) as CountedPeriods),
  };
}

type CountedFacet = NonNullable<AggregateDocumentsRequest['facets']>[number];
type CountedPeriods = NonNullable<AggregateDocumentsRequest['histograms']>[number];

function presentCounts(counts: AggregateDocumentsResponse) {
  return { ...counts, facetsTruncated: counts.facetsTruncated ?? false };
}

function presentFound({ results, ...found }: SearchFullTextResponse) {
  const { totalIsLowerBound = false, contextTruncated = false, truncated = false, suggestions = [], droppedWords = [],
    facetsTruncated = false, warnings = [] } = found;
  return {
    ...found,
    totalIsLowerBound,
    contextTruncated,
    truncated,
    suggestions,
    droppedWords,
    facetsTruncated,
    warnings,
    results: results.map(({ pinned = false, ...result }) => ({ ...withDocument(result), pinned })),
  };
}
