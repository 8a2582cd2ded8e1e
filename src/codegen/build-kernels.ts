import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SpecificationError } from './bundle.ts';

/** Flags of both builds: raw linear memory that the host brings, no allocator, no collector. */
const COMMON = ['--runtime', 'stub', '--importMemory', '--enable', 'simd'];

/** The debug build keeps its assertions, which check bounds and invariants. */
const BUILDS = [
  { suffix: '.wasm', flags: ['-O3', '--noAssert'] },
  { suffix: '.debug.wasm', flags: ['-O1'] },
] as const;

const COMPILER = join(dirname(createRequire(import.meta.url).resolve('assemblyscript/package.json')), 'bin', 'asc.js');

/**
 * Compiles every module `asm/NAME.ts` below `root` to `NAME.wasm` and `NAME.debug.wasm` in `target`.
 * Files in folders below `asm/` are parts of modules, not modules.
 */
export async function buildKernels(root: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const entries = await readdir(join(root, 'asm'), { withFileTypes: true });
  const modules = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'));
  for (const { name } of modules) {
    for (const { suffix, flags } of BUILDS) {
      await compile(root, join('asm', name), [...flags, '--outFile', join(target, name.replace(/\.ts$/, suffix))]);
    }
  }
}

/** Throws with the compiler's own message when a module doesn't compile. */
async function compile(root: string, file: string, flags: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [COMPILER, file, ...COMMON, ...flags], { cwd: root });
  } catch (error) {
    throw new SpecificationError(`${file} doesn't compile:\n${(error as { stderr?: string }).stderr ?? String(error)}`);
  }
}
