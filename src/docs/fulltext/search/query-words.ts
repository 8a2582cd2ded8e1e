import { type QueryNode, wantedNodes } from '../../../text/query/index.ts';
import type { QueryWord, TermAnalyzer } from '../view/text-index.ts';

/** `addEventListener`, `utf8`: inner capitals, or letters and digits. */
const MIXED = /\p{Ll}\p{Lu}|\p{L}\p{N}|\p{N}\p{L}/u;

/** How the words of a query are read. */
interface WordReading {
  readonly analyzer: TermAnalyzer;
  readonly isStopWord: (form: string) => boolean;
}

/** The words of a query in simple mode, passed as UTF-8, without stop words; of several inflections of a term, only the first. */
export function wordsOfQuery(query: Buffer, root: QueryNode | undefined, { analyzer, isStopWord }: WordReading): QueryWord[] {
  const nodes = wantedNodes(root).filter((node) => node.kind === 'term');
  const seen = new Set<string>();
  return nodes.flatMap(({ form, start, end }, offset) => {
    if (isStopWord(form) || seen.size === seen.add(analyzer.term(form)).size) return [];
    const [before, next] = [nodes[offset - 1], nodes[offset + 1]];
    const glued = next !== undefined && isGlued(query, end, next.start);
    const isPart = glued || (before !== undefined && isGlued(query, before.end, start));
    return [{ form, offset, glued, identifier: isPart || MIXED.test(query.toString('utf8', start, end)) }];
  });
}

function isGlued(query: Buffer, end: number, start: number): boolean {
  return !/\s/.test(query.toString('utf8', end, start));
}
