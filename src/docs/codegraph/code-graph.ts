import type { Operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Context, Handlers, InputOf, OutputOf } from '../../operations/index.ts';
import { type CodeGraphEdge, type CodeGraphNode, walkCodeGraph } from '../../text/code/index.ts';
import type { ColumnsView } from '../columns/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { readCollection } from '../stored-collections.ts';
import { codeLookups, findRoot } from './code-lookups.ts';
import { type EdgeLines, linesOfEdges } from './symbol-lines.ts';

type CodeGraphHandlers = Required<Pick<Handlers<Operations>, 'getCodeGraph' | 'queryCodeGraph'>>;
type Input = InputOf<Operations, 'queryCodeGraph'>;
type Output = OutputOf<Operations, 'queryCodeGraph'>;
type Environment = Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'>;

export interface CodeGraphAreas {
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
  return { from: from.key, to: to.key, kind, symbol, direction, ...(lines && { lines }) };
}
