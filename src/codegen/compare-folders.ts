import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** One line for each file that exists in only one of two folders, or that differs between them. */
export async function differences(left: string, right: string): Promise<string[]> {
  const [a, b] = await Promise.all([filesBelow(left), filesBelow(right)]);
  const lines = [...a].filter((file) => !b.has(file)).map((file) => `${file} should not be there`);
  for (const file of b) {
    if (!a.has(file)) lines.push(`${file} is missing`);
    else if (!(await sameContent(join(left, file), join(right, file)))) lines.push(`${file} differs`);
  }
  return lines.sort();
}

async function filesBelow(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  return new Set(
    entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name))),
  );
}

async function sameContent(left: string, right: string): Promise<boolean> {
  const [a, b] = await Promise.all([readFile(left), readFile(right)]);
  return a.equals(b);
}
