import type { CodeGraph } from '../../../../generated/docs/sdk/types.gen.ts';

export interface PlacedNode {
  readonly key: string;
  readonly lang: string;
  readonly language: string;
  /** Position of its centre, in pixels. */
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge {
  readonly from: PlacedNode;
  readonly to: PlacedNode;
  /** The symbols that one document uses of the other. */
  readonly symbols: readonly string[];
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 34;
const COLUMN = 280;
const ROW = 52;

/**
 * Places documents that depend on the root to its left, its dependencies to its right, and each further step in a
 * column of its own.
 */
export function placeGraph({ root, nodes, edges }: Pick<CodeGraph, 'root' | 'nodes' | 'edges'>): PlacedGraph {
  const column = columnsOf(root, edges);
  const used = [...new Set(nodes.map(({ key }) => column.get(key) ?? 0))].sort((a, b) => a - b);
  const byColumn = used.map((at) => nodes.filter(({ key }) => (column.get(key) ?? 0) === at));
  const height = Math.max(...byColumn.map((each) => each.length)) * ROW;
  const placed = new Map(
    byColumn.flatMap((each, index) =>
      each.map(({ key, lang, language }, row): [string, PlacedNode] => [key, {
        key,
        lang,
        language,
        x: index * COLUMN + NODE_WIDTH / 2,
        y: (row + 0.5) * (height / each.length),
      }])
    ),
  );
  return {
    width: (used.length - 1) * COLUMN + NODE_WIDTH,
    height,
    nodes: [...placed.values()],
    edges: joinedEdges(edges, placed),
  };
}

/** Number of steps from the root to each document: positive along dependencies, negative against them. */
function columnsOf(root: string, edges: CodeGraph['edges']): Map<string, number> {
  const columns = new Map([[root, 0]]);
  const open = [root];
  for (let key = open.shift(); key !== undefined; key = open.shift()) {
    for (const { from, to } of edges) {
      const [other, step] = from === key ? [to, 1] : to === key ? [from, -1] : [undefined, 0];
      if (other === undefined || columns.has(other)) continue;
      columns.set(other, columns.get(key)! + step);
      open.push(other);
    }
  }
  return columns;
}

/** One edge for everything that a document uses of another. */
function joinedEdges(edges: CodeGraph['edges'], placed: ReadonlyMap<string, PlacedNode>): PlacedEdge[] {
  const pairs = Map.groupBy(edges, ({ from, to }) => JSON.stringify([from, to]));
  return [...pairs.values()].flatMap((each) => {
    const [from, to] = [placed.get(each[0]!.from), placed.get(each[0]!.to)];
    return from === undefined || to === undefined
      ? []
      : [{ from, to, symbols: [...new Set(each.map(({ symbol }) => symbol))] }];
  });
}
