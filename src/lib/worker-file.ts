/**
 * The URL of a worker's module beside the caller. Its extension is the caller's own, so that the
 * same line works from source (`.ts`) and from the built package (`.js`).
 * `caller` is the caller's `import.meta.url`, `name` the file's name without its extension.
 */
export function workerFile(caller: string, name: string): URL {
  const ending = caller.endsWith('.ts') ? '.ts' : '.js';
  return new URL(`./${name}${ending}`, caller);
}
