import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const COMPILER = join(dirname(createRequire(import.meta.url).resolve('assemblyscript/package.json')), 'bin', 'asc.js');

/**
 * Reads 128 bytes per iteration and adds them up, so that nothing can be optimised away: the upper limit for a scan.
 */
const SOURCE = `
  export function read(from: usize, to: usize): i64 {
    let a = i64x2.splat(0), b = i64x2.splat(0), c = i64x2.splat(0), d = i64x2.splat(0);
    let e = i64x2.splat(0), f = i64x2.splat(0), g = i64x2.splat(0), h = i64x2.splat(0);
    for (let at = from; at < to; at += 128) {
      a = i64x2.add(a, v128.load(at));
      b = i64x2.add(b, v128.load(at, 16));
      c = i64x2.add(c, v128.load(at, 32));
      d = i64x2.add(d, v128.load(at, 48));
      e = i64x2.add(e, v128.load(at, 64));
      f = i64x2.add(f, v128.load(at, 80));
      g = i64x2.add(g, v128.load(at, 96));
      h = i64x2.add(h, v128.load(at, 112));
    }
    const sum = i64x2.add(i64x2.add(i64x2.add(a, b), i64x2.add(c, d)), i64x2.add(i64x2.add(e, f), i64x2.add(g, h)));
    return i64x2.extract_lane(sum, 0) + i64x2.extract_lane(sum, 1);
  }
`;
/** Bytes per iteration. */
export const TURN = 128;
export const PAGE = 65_536;

/** The loop, over a shared memory of the given number of pages that is imported as `env.memory`. */
export function compileReadLoop(pages: number): WebAssembly.Module {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'));
  try {
    writeFileSync(join(folder, 'read.ts'), SOURCE);
    const options = ['-O3', '--runtime', 'stub', '--enable', 'simd,threads', '--importMemory', '--sharedMemory',
      '--initialMemory', `${pages}`, '--maximumMemory', `${pages}`];
    execFileSync(process.execPath, [COMPILER, 'read.ts', '--outFile', 'read.wasm', ...options], { cwd: folder });
    return new WebAssembly.Module(readFileSync(join(folder, 'read.wasm')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
