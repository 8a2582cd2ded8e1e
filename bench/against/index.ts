// Measures parts of the benchmarks with this checkout and with another commit in the same run, in turn, so that other
// load on the machine and its changes of speed affect both alike.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from '../support/cache.ts';
import { progress } from '../support/progress.ts';
import { ROOT } from '../support/server.ts';
import type { Section } from '../support/table.ts';
import { compareFigures, type Figure, figuresOf } from './figures.ts';

const run = promisify(execFile);

export interface Against {
  /** Anything that git accepts as a commit. */
  readonly commit: string;
  readonly parts: readonly string[];
  readonly rounds: number;
}

/** Compares the figures of some parts. Throws if the other commit cannot run them. */
export async function benchAgainst({ commit, parts, rounds }: Against): Promise<Section[]> {
  const hash = (await run('git', ['rev-parse', '--short=10', '--verify', `${commit}^{commit}`], { cwd: ROOT })).stdout
    .trim();
  const other = await checkOut(hash);
  const sections: Section[] = [];
  for (const part of parts) {
    const ours: Figure[][] = [];
    const theirs: Figure[][] = [];
    for (let round = 1; round <= rounds; round++) {
      // The order changes with each round, so that neither side is always the first.
      const sides = [{ checkout: ROOT, figures: ours }, { checkout: other, figures: theirs }] as const;
      for (const { checkout, figures } of round % 2 === 1 ? sides : sides.toReversed()) {
        progress(`${part}, round ${round} of ${rounds}: ${checkout === ROOT ? 'this checkout' : hash}`);
        figures.push(figuresOf(await measure(checkout, part)));
      }
    }
    sections.push(compareFigures(`${part}: this checkout beside ${hash}`, hash, ours, theirs));
  }
  return sections;
}

/**
 * Writes the files of a commit into the cache, with this checkout's benchmarks and packages, so that only the code that
 * is measured differs. If the commit needs other packages, run `npm ci` in that folder after removing its link
 * `node_modules`.
 */
async function checkOut(hash: string): Promise<string> {
  const folder = join(CACHE, 'against', hash);
  if (!existsSync(folder)) {
    await mkdir(folder, { recursive: true });
    const archive = join(folder, 'files.tar');
    await run('git', ['archive', '--output', archive, hash], { cwd: ROOT });
    await run('tar', ['xf', archive], { cwd: folder });
    await rm(archive);
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  }
  const bench = join(folder, 'bench');
  await rm(bench, { recursive: true, force: true });
  await mkdir(bench);
  const own = (await readdir(join(ROOT, 'bench'))).filter((name) => name !== 'node_modules' && name !== '.cache');
  for (const name of own) await cp(join(ROOT, 'bench', name), join(bench, name), { recursive: true });
  await symlink(join(ROOT, 'bench', 'node_modules'), join(bench, 'node_modules'));
  return folder;
}

/** Runs one part with the code of a checkout. */
async function measure(checkout: string, part: string): Promise<Section[]> {
  const report = join(CACHE, 'against', `report-${process.pid}.json`);
  try {
    const child = spawn(process.execPath, [join(checkout, 'bench', 'main.ts'), '--json', report, part], {
      cwd: join(checkout, 'bench'),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${part} failed with the code of ${checkout}; its output says why`);
    return JSON.parse(await readFile(report, 'utf8')) as Section[];
  } finally {
    await rm(report, { force: true });
  }
}
