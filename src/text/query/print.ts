import type { GroupNode, QueryNode } from './ast.ts';

/**
 * Prints a query so that it is parsed, in boolean mode, into the same tree except for source ranges: for explanations,
 * logs and tests. An undefined node is printed as the empty query.
 */
export function printQuery(node: QueryNode | undefined): string {
  if (node === undefined) return '';
  return node.kind === 'group' ? printClauses(node) : printNode(node);
}

function printNode(node: QueryNode): string {
  switch (node.kind) {
    case 'term':
      return node.fuzzy === undefined ? node.form : `${node.form}~${node.fuzzy}`;
    case 'phrase':
      return `"${node.forms.join(' ')}"`;
    case 'proximity':
      return `"${node.forms.join(' ')}"~${node.distance}`;
    case 'wildcard':
      return node.pattern;
    case 'group':
      return `(${printClauses(node)})`;
  }
}

function printClauses({ required, optional, excluded }: GroupNode): string {
  return [...required.map((child) => `+${printNode(child)}`), ...optional.map(printNode),
    ...excluded.map((child) => `-${printNode(child)}`)].join(' ');
}
