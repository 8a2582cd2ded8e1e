import { ServiceError } from '../../../../errors/index.ts';
import { collectionMissing, collectionsOf } from '../advice.ts';
import { DEFAULT_THRESHOLD, FILTER, limitOf, OFFSET, type Scores, scoresOf, thresholdOf } from '../arguments.ts';
import { fitting, shortened } from '../fitting.ts';
import { type ModelService, type ModelTool, roomBeside } from '../model-tool.ts';

/** Most collections that a search without a collection covers. */
const MAX_COLLECTIONS = 20;
const MAX_RESULTS = 1000;
const DEFAULT_LIMIT = 10;
const MAX_TITLE = 100;

export const search: ModelTool = {
  name: 'search',
  title: 'Search documents',
  description:
    'Finds documents by words and meaning, in one collection or in all. Returns snippets; read returns the text, ' +
    'from `line` on.',
  properties: {
    query: { type: 'string', description: 'What to look for, in plain words.' },
    collection: { type: 'string', description: 'Only this collection; all when absent.' },
    filter: FILTER,
    lang: { type: 'string', description: 'Only documents of this language code.' },
    threshold: thresholdOf(DEFAULT_THRESHOLD),
    limit: limitOf(50, DEFAULT_LIMIT),
    offset: OFFSET,
  },
  required: ['query'],
  example: { query: 'how to publish a post', collection: 'blog' },
  hint: 'read',
  needs: ['searchHybrid'],
  async run(args, service) {
    const [limit, offset] = [args.get<number>('limit') ?? DEFAULT_LIMIT, args.get<number>('offset') ?? 0];
    const collection = args.get<string>('collection');
    const names = collection === undefined ? await searchable(service) : [collection];
    const input = {
      query: args.text('query'),
      threshold: args.get<number>('threshold') ?? DEFAULT_THRESHOLD,
      ...args.pick({ filter: 'filterMeta' }),
      langs: args.get('lang') === undefined ? undefined : [args.text('lang')],
    };
    const rankings = await Promise.all(
      names.slice(0, MAX_COLLECTIONS).map((name) => rank(service, { ...input, collection: name }, offset + limit + 1)),
    );
    const prompt = { how_to_answer: rankings.length === 1 ? rankings[0]!.prompt : undefined };
    const found = interleaved(rankings.map(({ hits }) => hits));
    const shown = fitting(found.slice(offset, offset + limit), roomBeside(prompt, service));
    const next = offset + shown.length;
    if (shown.length === 0 && collection !== undefined) await complainOf(service, collection);
    return {
      results: shown,
      next_offset: next < found.length ? next : undefined,
      ...prompt,
      ...noteOf(shown.length, offset, names.length),
    };
  },
};

interface Hit extends Scores {
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
  readonly title?: string;
  readonly snippet: string;
  /** Line of the body at which the passage begins. */
  readonly line?: number;
}

interface Ranking {
  readonly hits: readonly Hit[];
  readonly prompt: string | undefined;
}

/** The best documents of a collection, each with its best passage. */
async function rank(service: ModelService, input: { readonly collection: string }, count: number): Promise<Ranking> {
  const { results, responsePrompt } = await service.call('searchHybrid', {
    ...input,
    topK: Math.min(MAX_RESULTS, count),
    fuzzy: 'auto',
    retrievalMode: 'chunk',
    passagesPerDocument: 1,
  });
  const hits = results.map(({ document, chunkText = '', startLine, matchedTerms, combinedScore, vectorScore }): Hit => {
    const { key, lang, meta } = document;
    const title = meta?.['title']?.[0];
    return {
      collection: input.collection,
      key,
      lang,
      title: title && shortened(title, MAX_TITLE),
      snippet: snippetOf(chunkText, matchedTerms),
      line: startLine === 1 ? undefined : startLine,
      ...scoresOf(combinedScore, vectorScore),
    };
  });
  return { hits, prompt: responsePrompt };
}

/**
 * The first of each collection, then the second of each, because scores of different collections are not comparable.
 */
function interleaved(rankings: readonly (readonly Hit[])[]): Hit[] {
  const longest = Math.max(0, ...rankings.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => rankings.flatMap((hits) => hits.slice(place, place + 1))).flat();
}

async function searchable(service: ModelService): Promise<string[]> {
  const names = (await collectionsOf(service)).map(({ name }) => name);
  if (names.length > 0) return names;
  throw new ServiceError('missing_fields', 'missing fields: collection', {
    body: { advice: 'no collection is known to you, so name the one to search' },
  });
}

async function complainOf(service: ModelService, collection: string): Promise<void> {
  const missing = await collectionMissing(service, collection);
  if (missing !== undefined) throw missing;
}

function noteOf(shown: number, offset: number, collections: number): { note?: string } {
  if (shown === 0)
    return {
      note: offset > 0
        ? 'there are no more results'
        : 'nothing was found; try other or fewer words, a threshold of 0, or leave filter and lang out',
    };
  if (collections > MAX_COLLECTIONS)
    return {
      note: `only ${MAX_COLLECTIONS} of ${collections} collections were searched; name a collection to search another`,
    };
  return {};
}

const LENGTH = 240;
/** Share of a snippet before the first match in it. */
const LEAD = 80;

/**
 * The part of a passage that shows why it was found, on one line: around the matched words, otherwise its beginning.
 * `terms` have the form that searches return: `written~found` for a word that was found in another spelling.
 */
export function snippetOf(passage: string, terms: readonly string[]): string {
  const text = passage.replaceAll(/\s+/g, ' ').trim();
  if (text.length <= LENGTH) return text;
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term.slice(term.indexOf('~') + 1))).filter((place) => place >= 0);
  const start = bestStart(places, text.length);
  if (start === 0) return shortened(text, LENGTH);
  const word = text.indexOf(' ', start) + 1;
  const from = word > 0 && word - start < LEAD ? word : start;
  return `…${shortened(text.slice(from).toWellFormed(), LENGTH - 1)}`;
}

/** Returns the start at which most of the matches are visible; the first one if several are equal. */
function bestStart(places: readonly number[], length: number): number {
  let [best, most] = [0, 0];
  for (const place of places) {
    const start = Math.max(0, Math.min(place - LEAD, length - LENGTH));
    const shown = places.filter((other) => other >= start && other < start + LENGTH).length;
    if (shown > most) [best, most] = [start, shown];
  }
  return best;
}
