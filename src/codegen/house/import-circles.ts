import { posix } from 'node:path';

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
