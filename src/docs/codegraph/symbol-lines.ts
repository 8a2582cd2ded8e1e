import { Pace } from '../../lib/pace.ts';
import type { BodyCodec, Queries } from '../../storage/index.ts';
import { type CodeGraphEdge, type CodeSymbols, type SourceDocument, symbolsOf,
  SymbolsUnread } from '../../text/code/index.ts';

/** Lines count from 1; 0 if the symbol is not found, because the body has changed or cannot be read. */
export interface EdgeLines {
  readonly fromLine: number;
  readonly toLine: number;
}

type Locations = CodeSymbols['locations'];

/**
 * No maximum number of symbols here: names at the end of the alphabet have lines too, whatever the maximum was when the
 * document was stored.
 */
const ALL_SYMBOLS = Number.POSITIVE_INFINITY;

/**
 * The first line of each edge's symbol in both of its documents, in the order of the edges. An import refers to a
 * document as a whole, which is line 1. Bodies are read one at a time, and parsed once. Rejects when the signal aborts.
 */
export async function linesOfEdges(edges: readonly CodeGraphEdge[],
  { queries, codec, signal }: BodySource): Promise<EdgeLines[]>
{
  const documents = new Map(
    edges.flatMap((edge) => (edge.kind === 'imports' ? [edge.from] : [edge.from, edge.to])).map((
      document,
    ) => [document.docId, document]),
  );
  const locations = new Map<string, Locations>();
  const pace = new Pace();
  for (const [docId, { key }] of documents) {
    signal?.throwIfAborted();
    const row = await queries.get<{ meta: string; body: Uint8Array }>('SELECT meta, body FROM documents WHERE id = ?', [
      docId,
    ]);
    if (row === undefined) continue;
    const meta = JSON.parse(row.meta) as Record<string, string[]>;
    const contentMd = await codec.decodeAsync(row.body);
    const found = await locationsOf({ key, meta, contentMd });
    if (found !== undefined) locations.set(docId, found);
    await pace.rest();
  }
  return edges.map((edge) => linesOf(edge, locations));
}

/** The source of bodies. */
export interface BodySource {
  readonly queries: Queries;
  readonly codec: BodyCodec;
  readonly signal?: AbortSignal | undefined;
}

/** Undefined for a source that cannot be parsed. */
async function locationsOf(document: SourceDocument): Promise<Locations | undefined> {
  try {
    return (await symbolsOf(document, { maxSymbols: ALL_SYMBOLS })).locations;
  } catch (error) {
    if (error instanceof SymbolsUnread) return undefined;
    throw error;
  }
}

function linesOf({ kind, symbol, from, to }: CodeGraphEdge, locations: ReadonlyMap<string, Locations>): EdgeLines {
  const [source, target] = [locations.get(from.docId), locations.get(to.docId)];
  if (kind === 'imports') return { fromLine: source?.imports.get(symbol) ?? 0, toLine: 1 };
  return { fromLine: source?.uses.get(symbol) ?? 0, toLine: target?.defines.get(symbol) ?? 0 };
}
