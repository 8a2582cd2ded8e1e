import ts from 'typescript';

const MOST = 120;

/**
 * The lines of a file that are too long, each with its place. Texts that cannot be broken do not count: regular
 * expressions, templates of several lines, and what a template inserts.
 */
export function longLines(path: string, text: string): string[] {
  const lines = text.split('\n');
  if (lines.every((line) => line.length <= MOST)) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const unbreakable = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node) || ts.isTemplateLiteral(node) || ts.isStringLiteral(node)) {
      const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
      const last = file.getLineAndCharacterOfPosition(node.end).line;
      for (let line = first; line <= last; line++) unbreakable.add(line);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lines.flatMap((line, i) =>
    line.length > MOST && !unbreakable.has(i) ? [`${path}:${i + 1}: ${line.length} columns, at most ${MOST}`] : []
  );
}
