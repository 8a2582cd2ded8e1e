import type { ASTNode } from 'graphql';

/** Where a node stands in its document, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const POSITION = Symbol('position');

type Placed = ASTNode & { loc?: unknown; [POSITION]?: Position };

/**
 * Replaces the locations of all nodes by positions, and says how many nodes there are. An error counts the lines up to
 * each location of its nodes when it is made, which for long documents full of mistakes takes minutes; and a location
 * keeps all tokens of the document alive.
 */
export function replaceLocations(root: ASTNode): number {
  let nodes = 0;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (isNode(value)) {
      nodes += 1;
      const { loc } = value;
      (value as Placed).loc = undefined;
      for (const child of Object.values(value)) if (typeof child === 'object') visit(child);
      if (loc !== undefined) (value as Placed)[POSITION] = { line: loc.startToken.line, column: loc.startToken.column };
    }
  };
  visit(root);
  return nodes;
}

/** Undefined for a node that was not parsed from a document. */
export function positionOf(node: ASTNode): Position | undefined {
  return (node as Placed)[POSITION];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
