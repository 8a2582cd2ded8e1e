import { posix } from 'node:path';
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

const IMPORT = /^(?:import|export)\s+(?!type\b)[^;'"]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'/gm;

/**
 * The groups of files that import each other in a circle (strongly connected components of more than one file, by
 * Tarjan's algorithm). Imports of types alone do not count, because none is left when the program runs.
 */
export function importCircles(files: ReadonlyMap<string, string>): string[][] {
  const imports = new Map(
    [...files].map(([path, text]) => [path, importsOf(path, text).filter((to) => files.has(to))]),
  );
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const visit = (path: string): void => {
    order.set(path, order.size);
    low.set(path, order.get(path)!);
    stack.push(path);
    onStack.add(path);
    for (const to of imports.get(path)!) {
      if (!order.has(to)) {
        visit(to);
        low.set(path, Math.min(low.get(path)!, low.get(to)!));
      } else if (onStack.has(to)) low.set(path, Math.min(low.get(path)!, order.get(to)!));
    }
    if (low.get(path) !== order.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    for (const member of circle) onStack.delete(member);
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const path of files.keys()) if (!order.has(path)) visit(path);
  return circles;
}

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, from, alone]) => posix.join(posix.dirname(path), (from ?? alone)!));
}

const ENTRY_POINTS = new Set(['index.ts', 'port.ts']);
const ANY_IMPORT = /(?:\bfrom|^import|\bimport\(|\bnew URL\()\s*'(\.[^']+)'/gm;

/**
 * The imports of a service's areas that pass their entry points: files outside of a folder of `service` import only its
 * `index.ts`, and its `port.ts`: the types by which others call it. Types count too. Each with its place.
 */
export function passedEntryPoints(files: ReadonlyMap<string, string>, service: string): string[] {
  const areaOf = (path: string): string | undefined =>
    path.startsWith(`${service}/`) ? /^([^/]+)\//.exec(path.slice(service.length + 1))?.[1] : undefined;
  return [...files].flatMap(([path, text]) =>
    [...text.matchAll(ANY_IMPORT)].flatMap(([, from]) => {
      const to = posix.join(posix.dirname(path), from!);
      const area = areaOf(to);
      return area === undefined || area === areaOf(path) || ENTRY_POINTS.has(posix.relative(`${service}/${area}`, to))
        ? []
        : [`${path}: imports ${to}; outside of ${service}/${area} only its index.ts and its port.ts are imported`];
    })
  );
}
