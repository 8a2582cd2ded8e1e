const README = /^src\/([^/]+)\/README\.md$/;

/**
 * One line for each folder of a room that the room's page does not name, and for each helper of `lib`, which has files
 * alone. `paths` are all texts of the project.
 */
export function missingParts(file: string, text: string, paths: Iterable<string>): string[] {
  const room = README.exec(file)?.[1];
  if (room === undefined) return [];
  const named = new Set(text.match(/[\w.-]+/g));
  const missing = new Set<string>();
  for (const path of paths) {
    const [part, ...inside] = path.startsWith(`src/${room}/`) ? path.slice(`src/${room}/`.length).split('/') : [];
    if (part === undefined || named.has(part)) continue;
    const isHelper = room === 'lib' && part.endsWith('.ts') && !part.endsWith('.test.ts');
    if (inside.length > 0 || isHelper) missing.add(part);
  }
  return [...missing].sort().map((part) => `${file}: ${part} is not named`);
}
