import ts from 'typescript';

/**
 * The places of a file where a list names several operations: facts about operations belong into the specification.
 * What a tool of MCP `needs` is no fact about operations.
 */
export function operationLists(path: string, text: string, ids: ReadonlySet<string>): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isArrayLiteralExpression(node) && node.elements.length > 1 && !isNeeds(node.parent) &&
      node.elements.every((item) => ts.isStringLiteral(item) && ids.has(item.text)))
    {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push(`${path}:${line + 1}: a list of operations; make it a fact of the specification`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const isNeeds = (node: ts.Node): boolean => ts.isPropertyAssignment(node) && node.name.getText() === 'needs';
