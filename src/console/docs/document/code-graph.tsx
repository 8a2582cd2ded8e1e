import { useMemo, useState } from 'preact/hooks';
import { getCodeGraph } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { CodeGraph } from '../../../../generated/docs/sdk/types.gen.ts';
import { ask } from '../../shared/ask.ts';
import { plural } from '../../shared/format.ts';
import { Await, Choice, Field } from '../../shared/parts.tsx';
import { useLoad } from '../../shared/use-load.ts';
import { documentAt } from '../places.ts';
import { NODE_HEIGHT, NODE_WIDTH, placeGraph, type PlacedEdge, type PlacedNode } from './graph-layout.ts';
import type { DocumentTabProps } from './page.tsx';

/** Metadata keys of source documents. */
const OF_SOURCES = ['defines', 'uses', 'imports'];

export const isSource = (meta: Readonly<Record<string, readonly string[]>>): boolean => OF_SOURCES.some((key) => key in meta);

/** Shows the documents that use a source document on the left, and those that it uses on the right. */
export function CodeGraphView({ collection, document: { key } }: DocumentTabProps) {
  const [depth, setDepth] = useState('1');
  const graph = useLoad(async (signal) => ask(getCodeGraph({ signal, query: { collection, key, direction: 'both', depth: Number(depth) } })), [collection, key, depth]);
  return (
    <div class="stack">
      <div class="narrow"><Field label="Steps from here"><Choice value={depth} options={['1', '2', '3']} onChange={setDepth} /></Field></div>
      <Await of={graph}>{(data) => <Drawing collection={collection} graph={data} />}</Await>
    </div>
  );
}

const MARGIN = 10;

function Drawing({ collection, graph }: { readonly collection: string; readonly graph: CodeGraph }) {
  const { width, height, nodes, edges } = useMemo(() => placeGraph(graph), [graph]);
  return (
    <>
      <div class="graph" role="region" aria-label="Code graph" tabIndex={0}>
        <svg width={width + 2 * MARGIN} height={height + 2 * MARGIN} viewBox={`${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`}>
          {edges.map((edge) => <Edge key={`${edge.from.key}\n${edge.to.key}`} edge={edge} />)}
          {nodes.map((node) => <Node key={node.key} node={node} address={documentAt(collection, node, 'graph')} isRoot={node.key === graph.root} />)}
        </svg>
      </div>
      <p class="muted small">{plural(nodes.length, 'document')}, {plural(edges.length, 'dependency', 'dependencies')}{graph.truncated && '; a limit has cut the graph'}. What uses a document is to the left of it.</p>
    </>
  );
}

function Edge({ edge: { from, to, symbols } }: { readonly edge: PlacedEdge }) {
  const [side, x1, x2] = from.x <= to.x ? [1, from.x + NODE_WIDTH / 2, to.x - NODE_WIDTH / 2] : [-1, from.x - NODE_WIDTH / 2, to.x + NODE_WIDTH / 2];
  const bend = 45 * side;
  return <path class="edge" d={`M${x1} ${from.y}C${x1 + bend} ${from.y} ${x2 - bend} ${to.y} ${x2} ${to.y}`}><title>{`${from.key} uses ${symbols.join(', ')} of ${to.key}`}</title></path>;
}

const SHOWN = 24;

function Node({ node: { key, language, x, y }, address, isRoot }: { readonly node: PlacedNode; readonly address: string; readonly isRoot: boolean }) {
  return (
    <a href={address} class={isRoot ? 'node root' : 'node'}>
      <rect x={x - NODE_WIDTH / 2} y={y - NODE_HEIGHT / 2} width={NODE_WIDTH} height={NODE_HEIGHT} rx={8} />
      <text x={x} y={y} text-anchor="middle" dominant-baseline="central">{key.length > SHOWN ? `…${key.slice(1 - SHOWN)}` : key}</text>
      <title>{language === '' ? key : `${key} (${language})`}</title>
    </a>
  );
}
