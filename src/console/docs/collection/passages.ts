import type { HybridResult, ProjectedDocument } from '../../../../generated/docs/sdk/types.gen.ts';

export interface Hit {
  readonly document: ProjectedDocument;
  /** Passages with the matches tagged. */
  readonly passages: readonly string[];
}

/** Most passages of a document that are shown, and most characters of each. */
const SHOWN = 2;
const LENGTH = 300;

type Found = Pick<HybridResult, 'document' | 'chunkText' | 'matchedTerms'>;

/** The documents of passages, each once, at the place of its best passage. */
export function groupPassages(results: readonly Found[]): Hit[] {
  const hits = new Map<string, { document: ProjectedDocument; passages: string[] }>();
  for (const { document, chunkText, matchedTerms } of results) {
    const hit = hits.get(document.id) ?? { document, passages: [] };
    if (chunkText !== undefined && hit.passages.length < SHOWN)
      hit.passages.push(tagWords(chunkText.slice(0, LENGTH), matchedTerms));
    hits.set(document.id, hit);
  }
  return [...hits.values()];
}

/** Tags the words of a passage that are one of the terms, in this or another form of it. */
export function tagWords(passage: string, terms: readonly string[]): string {
  const wanted = terms.map((term) => term.toLowerCase());
  return passage.replace(/[\p{L}\p{N}_]+/gu,
    (word) => (wanted.some((term) => areForms(term, word.toLowerCase())) ? `<mark>${word}</mark>` : word));
}

const SHORTEST_STEM = 4;
const LONGEST_ENDING = 3;

/** The service tells the words that match, not where: `worker` and `workers` count as one, `use` and `used` do not. */
function areForms(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return short === long ||
    (short.length >= SHORTEST_STEM && long.length - short.length <= LONGEST_ENDING && long.startsWith(short));
}
