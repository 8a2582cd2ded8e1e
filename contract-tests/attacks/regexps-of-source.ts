import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

export interface FoundRegExp {
  /** Path below the folder of the sources. */
  readonly file: string;
  readonly line: number;
  /** A literal in its source form; undefined if the expression is built at run time. */
  readonly literal: string | undefined;
  /** The source text of the expression that builds it. */
  readonly text: string;
}

/** Files that do not run in a server, or read only input of their own user. */
const NOT_EXPOSED = /\.test\.ts$|^(?:testkit|codegen|app\/commands|app\/demo)\/|\/test-fixture\.ts$|\.d\.ts$/;

/** Every regular expression of the sources: literals, and calls of `RegExp`. */
export function regExpsOf(folder: string): FoundRegExp[] {
  return globSync('**/*.ts', { cwd: folder }).filter((file) => !NOT_EXPOSED.test(file)).sort().flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(`${folder}/${file}`, 'utf8'), ts.ScriptTarget.Latest, true);
    const found: FoundRegExp[] = [];
    const visit = (node: ts.Node): void => {
      const isMade = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
      if (ts.isRegularExpressionLiteral(node) || isMade) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ file, line: line + 1, literal: isMade ? undefined : node.getText(), text: node.getText() });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}
