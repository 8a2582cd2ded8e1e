import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** The file that a shell would run for this name; undefined if there is none that may be executed. */
export function findProgram(name: string, path: string, cwd: string): string | undefined {
  const candidates = name.includes('/')
    ? [name]
    : path.split(':').map((folder) => `${folder === '' ? '.' : folder}/${name}`);
  return name === '' ? undefined : candidates.map((candidate) => resolve(cwd, candidate)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
