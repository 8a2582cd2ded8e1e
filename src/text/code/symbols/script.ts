import { parse, type ParserPlugin } from '@babel/parser';
import { createContext, Script } from 'node:vm';
import { resolveModule } from '../import-paths.ts';
import { LineCounter, type Piece, type SymbolSets } from './symbol-set.ts';

const NAME = String.raw`([\p{ID_Start}$_][\p{ID_Continue}$]*)`;
/** Positions where a statement can start, so that words in comments and strings are rarely mistaken for code. */
const START = String.raw`(?:^|[;{}])\s{0,80}(?:export\s{1,8})?(?:default\s{1,8})?(?:declare\s{1,8})?`;
const FUNCTION_VALUE = String
  .raw`(?:async\s{1,8})?(?:function\b|class\b|\([^()\n]{0,400}\)\s{0,8}(?::[^=\n]{0,200})?=>|[\p{ID_Start}$_][\p{ID_Continue}$]{0,80}\s{0,8}=>)`;

/** Every repetition is bounded, so the time is bounded for every source. */
const DECLARATIONS: readonly RegExp[] = [
  new RegExp(String.raw`${START}(?:async\s{1,8})?function\s{0,8}\*?\s{0,8}${NAME}`, 'gmu'),
  new RegExp(String.raw`${START}(?:abstract\s{1,8})?class\s{1,8}${NAME}`, 'gmu'),
  new RegExp(
    String.raw`${START}(?:const|let|var)\s{1,8}${NAME}(?:\s{0,8}:[^=\n]{0,200})?\s{0,8}=\s{0,8}${FUNCTION_VALUE}`,
    'gmu',
  ),
];
const SPECIFIERS = /\b(?:from|import|require\s{0,8}\(|import\s{0,8}\()\s{0,8}(["'`])([^"'`\n\\$]{1,1024})\1/g;

/** Scans a script that has no syntax tree for text that looks like declarations and imports. */
function scanScript(piece: Piece, symbols: SymbolSets): void {
  for (const pattern of DECLARATIONS) {
    const lines = new LineCounter(piece);
    for (const match of piece.source.matchAll(pattern)) {
      symbols.defines.add(match[1], lines.at(match.index + match[0].lastIndexOf(match[1]!)));
    }
  }
  const lines = new LineCounter(piece);
  for (const match of piece.source.matchAll(SPECIFIERS)) {
    symbols.imports.add(resolveModule(match[2]!, piece.path), lines.at(match.index));
  }
}

/** Sources with more UTF-16 units are bundles; parsing them into a syntax tree would block the service. */
const MAX_PARSED_LENGTH = 256 * 1024;
const PARSE_MILLISECONDS = 500;

/** The properties of a Babel node that the walk needs. */
interface SyntaxNode {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number } };
  readonly [field: string]: unknown;
}

/**
 * JavaScript and TypeScript with JSX: the names of functions, of classes, and of variables with a function or class as
 * value are definitions, at any depth; the specifiers of `import`, `export … from`, `require` and `import()` are
 * imports. There are no uses (contract, "Code documents"). Source without a syntax tree (because it is broken, hostile,
 * or very long) is scanned for declarations instead.
 */
export function readScript(piece: Piece, language: string, symbols: SymbolSets): void {
  const program = piece.source.length <= MAX_PARSED_LENGTH ? parseScript(piece, language) : undefined;
  if (program === undefined) scanScript(piece, symbols);
  else for (const node of nodesOf(program)) readNode(node, piece, symbols);
}

function parseScript({ source, path }: Piece, language: string): SyntaxNode | undefined {
  const deadline = performance.now() + PARSE_MILLISECONDS;
  let program: SyntaxNode | undefined;
  for (const plugins of dialects(language, path)) {
    if (program !== undefined) break;
    withinTime(deadline - performance.now(), () => {
      program = tryParse(source, plugins);
    });
  }
  return program;
}

/** A syntax tree or undefined; Babel continues after errors that leave the structure clear. */
function tryParse(source: string, plugins: ParserPlugin[]): SyntaxNode | undefined {
  try {
    return parse(source, {
      sourceType: 'unambiguous',
      plugins,
      errorRecovery: true,
      attachComment: false,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowNewTargetOutsideFunction: true,
      allowSuperOutsideMethod: true,
      allowUndeclaredExports: true,
      allowImportExportEverywhere: true,
    }).program as unknown as SyntaxNode;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `<T>x` is a cast in TypeScript and an element in TSX, so a file may need either parser. */
function dialects(language: string, path: string): ParserPlugin[][] {
  const jsx: ParserPlugin[] = ['jsx', 'decorators-legacy'];
  const ts: ParserPlugin[] = ['typescript', 'decorators-legacy'];
  const tsx: ParserPlugin[] = ['typescript', ...jsx];
  if (language !== 'typescript') return [jsx, tsx];
  return path.toLowerCase().endsWith('.tsx') ? [tsx, ts] : [ts, tsx];
}

/** A node and all nodes below it; uses an explicit stack, because trees can be deeper than the call stack. */
function* nodesOf(root: SyntaxNode): Generator<SyntaxNode> {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (Array.isArray(value)) stack.push(...value);
    else if (isNode(value)) {
      yield value;
      stack.push(...Object.values(value));
    }
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
}

function readNode(node: SyntaxNode, piece: Piece, symbols: SymbolSets): void {
  const name = declaredName(node);
  if (name?.type === 'Identifier') symbols.defines.add(name.name as string, lineOf(name, piece));
  const specifier = specifierOf(node);
  const text = specifier === undefined ? undefined : literalText(specifier);
  if (text !== undefined) symbols.imports.add(resolveModule(text, piece.path), lineOf(specifier!, piece));
}

/** The identifier to which a declaration assigns a function or class. */
function declaredName(node: SyntaxNode): SyntaxNode | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'ClassDeclaration':
      return asNode(node.id);
    case 'VariableDeclarator':
      return /^(?:ArrowFunction|Function|Class)Expression$/.test(asNode(node.init)?.type ?? '')
        ? asNode(node.id)
        : undefined;
    default:
      return undefined;
  }
}

/** The literal that names a module. */
function specifierOf(node: SyntaxNode): SyntaxNode | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return asNode(node.source);
    case 'TSExternalModuleReference':
      return asNode(node.expression);
    case 'TSImportType':
      return asNode(node.source) ?? asNode(node.argument);
    case 'CallExpression':
      return isRequire(asNode(node.callee)) ? asNode((node.arguments as unknown[])[0]) : undefined;
    default:
      return undefined;
  }
}

function isRequire(callee: SyntaxNode | undefined): boolean {
  return callee?.type === 'Import' || (callee?.type === 'Identifier' && callee.name === 'require');
}

/** The value of a string literal; undefined if parts are computed. */
function literalText(node: SyntaxNode): string | undefined {
  if (node.type === 'StringLiteral') return node.value as string;
  if (node.type === 'TSLiteralType') return literalText(asNode(node.literal)!);
  if (node.type !== 'TemplateLiteral') return undefined;
  const quasis = node.quasis as readonly { readonly value: { readonly cooked: string | null } }[];
  return quasis.length === 1 ? quasis[0]!.value.cooked ?? undefined : undefined;
}

function asNode(value: unknown): SyntaxNode | undefined {
  return isNode(value) ? value : undefined;
}

function lineOf(node: SyntaxNode, piece: Piece): number {
  return piece.line + (node.loc?.start.line ?? 1) - 1;
}

const context = createContext({ task: undefined as (() => void) | undefined });
const script = new Script('task()');

/**
 * Runs a task and returns whether it was completed: it is not if it exceeds its time or the stack. Parsers that were
 * written for well-formed programs may take quadratic or exponential time, or recurse without end, on others; the task
 * keeps what it has read until then. Other errors are thrown.
 */
export function withinTime(milliseconds: number, task: () => void): boolean {
  context.task = task;
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.ceil(milliseconds)) });
    return true;
  } catch (error) {
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return false;
    throw error;
  } finally {
    context.task = undefined;
  }
}
