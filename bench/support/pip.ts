import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './cache.ts';
import type { Built } from './cargo.ts';
import { progress } from './progress.ts';

export type { Built } from './cargo.ts';

const HOW = 'install Python 3.10 or newer with venv, and let pip reach its registry';

/** The program of a Python package, in a virtual environment of its own. */
export function buildWithPip(requirement: string, program: string): Built {
  const folder = join(CACHE, requirement.replace('==', '-'));
  const file = join(folder, 'bin', program);
  if (existsSync(file)) return { program: file };
  if (spawnSync('python3', ['-m', 'venv', '--help']).status !== 0) return { reason: `needs Python: ${HOW}` };
  progress(`${requirement}: installing, which takes some minutes the first time`);
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
    execFileSync(join(folder, 'bin', 'pip'), ['install', '--quiet', requirement], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return { program: file };
  } catch (error) {
    return { reason: `could not be installed: ${HOW} (${(error as Error).message.split('\n')[0]})` };
  }
}
