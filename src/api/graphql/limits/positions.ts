import type { ASTNode } from 'graphql';

/** The position of a node in its document; line and column start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

const POSITION = Symbol('position');

type Placed = ASTNode & { loc?: unknown; [POSITION]?: Position };

/**
 * Replaces the locations of all nodes by positions, and returns the number of nodes. When an error is constructed, it
 * counts the lines up to each location of its nodes, which takes minutes for long documents with many errors. Also, a
 * location keeps all tokens of the document in memory.
 */
export function replaceLocations(root: ASTNode): number {
  let nodes = 0;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) { for (const item of value) visit(item); }
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

/** Returns undefined for a node that was not parsed from a document. */
export function positionOf(node: ASTNode): Position | undefined {
  return (node as Placed)[POSITION];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
