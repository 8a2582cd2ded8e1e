import { execFileSync, spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { CACHE } from './cache.ts';
import { progress } from './progress.ts';

const HOW = 'install Rust 1.88 or newer with Cargo, and let it reach its registry';

/** A program, or why it could not be built. */
export type Built = { readonly program: string } | { readonly reason: string };

/** Builds the program of a folder with a `Cargo.toml`. */
export function buildWithCargo(sources: string, program: string): Built {
  if (spawnSync('cargo', ['--version']).status !== 0) return { reason: `needs Cargo: ${HOW}` };
  const name = basename(sources);
  const target = process.env['CARGO_TARGET_DIR'] ?? join(CACHE, name);
  progress(`${name}: building, which takes some minutes the first time`);
  try {
    execFileSync('cargo', ['build', '--release', '--locked', '--quiet'], {
      cwd: sources,
      env: { ...process.env, CARGO_TARGET_DIR: target },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return { program: join(target, 'release', program) };
  } catch (error) {
    return { reason: `could not be built: ${HOW} (${(error as Error).message.split('\n')[0]})` };
  }
}
