import { readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { SpecificationError } from './openapi-types.ts';

/** An exported constant of a kernel, as its host uses it. */
interface Constant {
  readonly value: number;
  /** Its documentation comment, or an empty string. */
  readonly comment: string;
}

/** Folders of `asm/` whose constants the hosts in `src/kernels/` need. */
const HOSTED = ['bzip2', 'chunk', 'clusters', 'columns', 'cooccurrence', 'embedding', 'geo', 'hnsw', 'inverted',
  'marks', 'similarity', 'sparse', 'vector'];

/**
 * Writes `NAME.ts` into `target` for some folders `asm/NAME/`: the exported numeric constants of its files, such as
 * addresses of the header and numbers of buffers. Hosts import them, so that a layout is defined in one place.
 */
export async function generateKernelConstants(root: string, target: string,
  names: readonly string[] = HOSTED): Promise<void>
{
  await mkdir(target, { recursive: true });
  const reader = new ConstantReader();
  for (const name of names) {
    const files = (await readdir(join(root, 'asm', name), { recursive: true })).filter((file) => file.endsWith('.ts'))
      .sort();
    const constants = joined(name, files.map((file) => reader.exported(join(root, 'asm', name, file))));
    await writeFile(join(target, `${name}.ts`), printed(name, constants));
  }
}

function joined(name: string, parts: readonly ReadonlyMap<string, Constant>[]): Map<string, Constant> {
  const all = new Map<string, Constant>();
  for (const [key, constant] of parts.flatMap((part) => [...part])) {
    const other = all.get(key);
    if (other !== undefined && other.value !== constant.value)
      throw new SpecificationError(
        `asm/${name} has two constants ${key}: ${other.value} and ${constant.value}; rename one`,
      );
    all.set(key, other ?? constant);
  }
  return all;
}

function printed(name: string, constants: ReadonlyMap<string, Constant>): string {
  const lines = [...constants].map(([key, { value, comment }]) =>
    `${comment === '' ? '' : `${comment}\n`}export const ${key} = ${value};`
  );
  return `// Constants of asm/${name}. Generated: change them there, then run \`npm run generate\`.\n\n${
    lines.join('\n')
  }\n`;
}

/** Evaluates constants of AssemblyScript sources, which have TypeScript's syntax. Reads each file once. */
class ConstantReader {
  readonly #files = new Map<string, ts.SourceFile>();

  /** The constants that a file exports and whose values can be determined without running it. */
  exported(file: string): Map<string, Constant> {
    const constants = new Map<string, Constant>();
    for (const statement of this.#parse(file).statements) {
      if (!ts.isVariableStatement(statement) || !isExportedConstant(statement)) continue;
      for (const { name, initializer } of statement.declarationList.declarations) {
        const value = initializer && this.#evaluate(initializer, file);
        if (value !== undefined && ts.isIdentifier(name))
          constants.set(name.text, { value, comment: commentOf(statement) });
      }
    }
    return constants;
  }

  #parse(file: string): ts.SourceFile {
    let source = this.#files.get(file);
    if (source === undefined) {
      source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
      this.#files.set(file, source);
    }
    return source;
  }

  /** Returns undefined if it is not a constant of plain arithmetic, such as `sizeof<T>()`. */
  #evaluate(node: ts.Expression, file: string): number | undefined {
    if (ts.isNumericLiteral(node)) return Number(node.text);
    if (ts.isParenthesizedExpression(node)) return this.#evaluate(node.expression, file);
    if (ts.isIdentifier(node)) return this.#valueOf(node.text, file);
    if (ts.isPrefixUnaryExpression(node)) return unary(node.operator, this.#evaluate(node.operand, file));
    if (ts.isBinaryExpression(node))
      return binary(node.operatorToken.kind, this.#evaluate(node.left, file), this.#evaluate(node.right, file));
    return undefined;
  }

  /** The value of a name in a file: of a constant in the file, or of one that it imports. */
  #valueOf(name: string, file: string): number | undefined {
    for (const statement of this.#parse(file).statements) {
      if (ts.isVariableStatement(statement)) {
        const found = statement.declarationList.declarations.find((one) =>
          ts.isIdentifier(one.name) && one.name.text === name
        );
        if (found?.initializer) return this.#evaluate(found.initializer, file);
      } else if (ts.isImportDeclaration(statement)) {
        const imported = importedName(statement, name);
        if (imported !== undefined) return this.#valueOf(imported, moduleOf(statement, file));
      }
    }
    return undefined;
  }
}

function isExportedConstant(statement: ts.VariableStatement): boolean {
  return (statement.declarationList.flags & ts.NodeFlags.Const) !== 0 &&
    statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/** The original name of an import that is called `name` here. */
function importedName(statement: ts.ImportDeclaration, name: string): string | undefined {
  const bindings = statement.importClause?.namedBindings;
  const element = bindings && ts.isNamedImports(bindings)
    ? bindings.elements.find((one) => one.name.text === name)
    : undefined;
  return element && (element.propertyName?.text ?? element.name.text);
}

function moduleOf(statement: ts.ImportDeclaration, file: string): string {
  const path = resolve(dirname(file), (statement.moduleSpecifier as ts.StringLiteral).text);
  return path.endsWith('.ts') ? path : `${path}.ts`;
}

function commentOf(statement: ts.VariableStatement): string {
  const text = statement.getSourceFile().text;
  const range = ts.getLeadingCommentRanges(text, statement.pos)?.at(-1);
  const comment = range ? text.slice(range.pos, range.end) : '';
  return comment.startsWith('/**') ? comment : '';
}

function unary(operator: ts.PrefixUnaryOperator, value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  return operator === ts.SyntaxKind.MinusToken ? -value : undefined;
}

/** Numbers are unsigned, like addresses and flags. */
function binary(operator: ts.BinaryOperator, left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return undefined;
  switch (operator) {
    case ts.SyntaxKind.PlusToken:
      return left + right;
    case ts.SyntaxKind.MinusToken:
      return left - right;
    case ts.SyntaxKind.AsteriskToken:
      return left * right;
    case ts.SyntaxKind.LessThanLessThanToken:
      return (left << right) >>> 0;
    case ts.SyntaxKind.BarToken:
      return (left | right) >>> 0;
    default:
      return undefined;
  }
}
