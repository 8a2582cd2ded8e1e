import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import type { Context, Handlers, InputOf, OutputOf } from '../../operations/index.ts';
import type { BodyCodec, Queries } from '../../storage/index.ts';
import { type CodeGraphEdge, type CodeGraphNode, type CodeSymbols, type SourceDocument, symbolsOf, SymbolsUnread,
  walkCodeGraph } from '../../text/code/index.ts';
import type { ColumnsView } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { readCollection } from '../stored-collections.ts';
import { codeLookups, findRoot } from './code-lookups.ts';

type CodeGraphHandlers = Required<Pick<Handlers<Operations>, 'getCodeGraph' | 'queryCodeGraph'>>;
type Input = InputOf<Operations, 'queryCodeGraph'>;
type Output = OutputOf<Operations, 'queryCodeGraph'>;
type Environment = Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'>;

interface CodeGraphAreas {
  readonly columns: Pick<ColumnsView, 'indexOf'>;
}

/** Which source documents use which others (contract section 4, "Code graph"). */
export interface CodeGraphArea {
  readonly handlers: CodeGraphHandlers;
}

export function createCodeGraph(environment: Environment, areas: CodeGraphAreas): CodeGraphArea {
  const handler = (input: Input, context: Context): Promise<Output> =>
    codeGraph({ ...environment, ...areas }, input, context);
  return { handlers: { getCodeGraph: handler, queryCodeGraph: handler } };
}

/** Throws `not_found` when the collection has no document of this key. */
async function codeGraph({ sql, codec, clock, columns }: Environment & CodeGraphAreas, input: Input,
  { signal, budget }: Context): Promise<Output>
{
  const { collection: name, key, direction, depth, maxDegree, lines: withLines } = input;
  const now = unixSeconds(clock);
  const collection = await readCollection(sql, name);
  const root = collection && (await findRoot(sql, collection.id, key, now));
  if (root === undefined) throw new ServiceError('not_found', 'not found');
  // A popular name may have very many users from which the first hundred are selected.
  const graph = await walkCodeGraph(root,
    codeLookups({ queries: sql.background, columns }, { id: collection!.id, name }, now), {
    direction,
    depth,
    maxDegree,
    signal,
  });
  const lines = withLines ? await linesOfEdges(graph.edges, { queries: sql, codec, signal }) : [];
  const nodes = [
    ...budget.fit(graph.nodes.map(toNode), ({ key, docId }) => Buffer.byteLength(key) + Buffer.byteLength(docId)),
  ];
  const edges = [
    ...budget.fit(graph.edges.map((edge, i) => toEdge(edge, lines[i])),
      ({ from, to, symbol }) => Buffer.byteLength(from) + Buffer.byteLength(to) + Buffer.byteLength(symbol)),
  ];
  return {
    collection: name,
    root: root.key,
    direction: graph.direction,
    depth: graph.depth,
    nodes,
    edges,
    truncated: graph.truncated || budget.isSpent,
  };
}

function toNode({ document: { key, docId, lang, language }, depth }: CodeGraphNode): Output['nodes'][number] {
  return { key, docId, lang, language, depth };
}

function toEdge({ from, to, kind, symbol, direction }: CodeGraphEdge,
  lines: EdgeLines | undefined): Output['edges'][number]
{
  return { from: from.key, to: to.key, kind, symbol, direction, lines };
}

/** Lines count from 1; 0 if the symbol is not found, because the body has changed or cannot be read. */
interface EdgeLines {
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
async function linesOfEdges(edges: readonly CodeGraphEdge[],
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
interface BodySource {
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
