import { type QueryNode, type TermNode, wantedNodes } from '../../../text/query/index.ts';
import type { QueryWord, TermAnalyzer } from '../view/text-index.ts';

/** `addEventListener`, `utf8`: inner capitals, or letters and digits. */
const MIXED = /\p{Ll}\p{Lu}|\p{L}\p{N}|\p{N}\p{L}/u;

/** How the words of a query are read. */
interface WordReading {
  readonly analyzer: TermAnalyzer;
  readonly isStopWord: (form: string) => boolean;
}

/**
 * The words of a query in simple mode, of several inflections of a term only the first. Stop words are left out, unless
 * only punctuation separates them from another word: they are a part of its name then, as in `Array.from()`.
 */
export function wordsOfQuery(query: string, root: QueryNode | undefined,
  { analyzer, isStopWord }: WordReading): QueryWord[]
{
  const nodes = wantedNodes(root).filter((node) => node.kind === 'term');
  const between = textBetween(query);
  const isGlued = (one: TermNode, next: TermNode): boolean => !/\s/.test(between(one.end, next.start));
  const seen = new Set<string>();
  const words: QueryWord[] = [];
  let wasGlued = false;
  for (const [offset, node] of nodes.entries()) {
    const next = nodes[offset + 1];
    const glued = next !== undefined && isGlued(node, next);
    if ((glued || wasGlued || !isStopWord(node.form)) && seen.size < seen.add(analyzer.term(node.form)).size) {
      words.push({
        form: node.form,
        offset,
        glued,
        identifier: glued || wasGlued || MIXED.test(between(node.start, node.end)),
      });
    }
    wasGlued = glued;
  }
  return words;
}

/** The text between two offsets in bytes. */
export function textBetween(query: string): (start: number, end: number) => string {
  if (Buffer.byteLength(query) === query.length) return (start, end) => query.slice(start, end);
  const bytes = Buffer.from(query);
  return (start, end) => bytes.toString('utf8', start, end);
}
